/// <reference lib="dom" />
import { visit } from '#tests/support/browser'
import { makeCustomer, signIn } from '#tests/support/people'
import type Vault from '#vault/models/vault'
import { makeVault, startTestVaultService, upload } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

test.group('Objects of a vault', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let vault: Vault
  group.setup(async () => {
    await startTestVaultService()
    vault = await makeVault(stage.person)
    assert.equal((await upload(vault, 'photos', 'boat.txt')).status, 200)
    assert.equal((await upload(vault, '', 'note.txt')).status, 200)
  })

  proves('C1.7', async () => {
    const { page } = stage
    const { url } = await startTestVaultService()
    await visit(page, `/vault/${vault.id}`)
    await page.getByRole('tab', { name: 'Crendentials', exact: true }).click()
    const panel = page.getByRole('region', { name: 'API credentials and CDN address' })
    await panel.getByText(String(stage.person.id), { exact: true }).waitFor()
    await panel.getByText(`${url}/${vault.key}`).waitFor()
    await panel.getByRole('button', { name: 'Copy secret key' }).waitFor()
    const read = await fetch(`${url}/${vault.key}/note.txt`)
    assert.equal(read.status, 200)
  })

  proves(['C2.70', 'C5.19', 'C5.20', 'C7.50'], async () => {
    const { page, person } = stage
    await visit(page, `/vault/${vault.id}`)
    const asked: unknown[] = []
    page.on('request', (one) => {
      if (one.url().endsWith('/vault/object/delete')) asked.push(one.postDataJSON())
    })
    const remove = async (name: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog')
      const press = () => dialog.getByRole('button', { name: 'Delete', exact: true }).click()
      return { dialog, press }
    }
    const folder = await remove('photos')
    await folder.dialog.getByLabel(/to confirm/).fill('Photos')
    await folder.press()
    await folder.dialog.getByText('Wrong input').waitFor()
    assert.deepEqual(asked, [])
    await folder.dialog.getByLabel(/to confirm/).fill('photos')
    await folder.press()
    await folder.dialog.waitFor({ state: 'detached' })
    const file = await remove('note.txt')
    await file.press()
    await file.dialog.getByText('Wrong input').waitFor()
    assert.equal(asked.length, 1)
    await file.dialog.getByRole('checkbox').check()
    await file.press()
    await file.dialog.waitFor({ state: 'detached' })
    assert.deepEqual(asked, [
      { vault_id: vault.id, path: 'photos', type: 'folder' },
      { vault_id: vault.id, path: 'note.txt', type: 'file' },
    ])
    const { json } = await (await signIn(person)).page(`/vault/${vault.id}`)
    const { folders, files } = json.props!.objects as { folders: unknown[]; files: unknown[] }
    assert.deepEqual([folders, files], [[], []])
  })
})
