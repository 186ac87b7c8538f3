/// <reference lib="dom" />
import { waitForToast, visit } from '#tests/support/browser'
import { makeCustomer, signIn } from '#tests/support/people'
import { formatDate } from '#packages/ui/date_text'
import type Vault from '#vault/models/vault'
import { freshName, makeVault, startTestVaultService, upload } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const month = () => DateTime.utc().toFormat('yyyy-MM')

test.group('Vaults', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let vault: Vault
  group.setup(async () => {
    await stage.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    vault = await makeVault(stage.person)
    assert.equal((await upload(vault, 'photos', 'boat.txt')).status, 200)
  })
  const clipboard = () => stage.page.evaluate(() => navigator.clipboard.readText())
  const copy = (what: string) => stage.page.getByRole('button', { name: `Copy ${what}` }).first()

  proves(['C2.65', 'C2.66', 'C2.68', 'C3.21', 'C4.10', 'C9.15'], async () => {
    const { page, person } = stage
    await visit(page, '/vault/list')
    const heads = await page.getByRole('columnheader').allInnerTexts()
    assert.deepEqual(
      heads.map((text) => text.replace(/[↑↓↕]/g, '').trim()),
      ['Name', 'Requests', 'Access Key Id', 'Secret Key', 'Created', 'Action']
    )
    const words = await page.getByRole('row').filter({ hasText: vault.name }).innerText()
    assert.ok(words.includes(String(person.id)) && words.includes('••••'), words)
    assert.ok(words.includes(formatDate(vault.createdAt.toISO()!, 'date', 'Asia/Dhaka')), words)
    const call = page.getByText(/^POST .*\/upload$/)
    assert.equal(await call.isVisible(), false)
    await page.getByText('API documentation').click()
    await call.waitFor()
    await page.getByText(/^GET .*\/remove/).waitFor()
    await page.getByText('API documentation').click()
    await call.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: `Manage ${vault.name}` }).click()
    await page.waitForURL(`**/vault/${vault.id}`)
  })

  proves(['C2.67', 'C5.6', 'C7.47'], async () => {
    const { page, person } = stage
    const visitor = await signIn(person)
    const refused = await visitor.post('/vault/store', { name: '' })
    assert.ok(refused.status === 422 && refused.json.errors!.name)
    const email = await visitor.post('/email/store', { email: '' })
    assert.ok(email.status === 422 && email.json.errors!.email)
    const name = freshName()
    await visit(page, '/vault/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add new vault' })
    await form.getByLabel('Name').fill(name)
    const call = page.waitForRequest('**/vault/store')
    await form.getByRole('button', { name: /^(Make|Add|Create)/ }).click()
    assert.equal((await call).postDataJSON().name, name)
    await page.getByText(name).first().waitFor()
  })

  proves(['C2.71', 'C2.72', 'C3.20', 'C8.11', 'C8.12'], async () => {
    const { page, person } = stage
    await visit(page, `/vault/${vault.id}`)
    await page.getByRole('tab', { name: 'Crendentials', exact: true }).click()
    const panel = page.getByRole('region', { name: 'API credentials and CDN address' })
    await panel.waitFor()
    await copy('access key id').click()
    await waitForToast(page, 'Secret Key Copied!')
    assert.equal(await clipboard(), String(person.id))
    await copy('secret key').click()
    await page.waitForFunction(
      async (secret) => (await navigator.clipboard.readText()) === secret,
      vault.secretKey
    )
    await panel.getByRole('button', { name: 'Copy CDN address' }).click()
    await waitForToast(page, 'CDN Copied!')
    const { url } = await startTestVaultService()
    assert.equal(await clipboard(), `${url}/${vault.key}`)
    for (const path of ['/vault/list', `/vault/${vault.id}`]) {
      const { text } = await (await signIn(person)).page(path)
      assert.ok(!text.includes(vault.secretKey!), path)
    }
  })

  proves(['C2.69', 'C3.19', 'C3.22', 'C7.48'], async () => {
    const { page, person } = stage
    const visitor = await signIn(person)
    const { json } = await visitor.page(`/vault/${vault.id}`)
    const { vault: row, path, objects, cdnHost } = json.props! as Record<string, never>
    const { url } = await startTestVaultService()
    assert.deepEqual([path, cdnHost, objects['folders']], ['', url, ['photos']])
    const facts = row as Record<string, unknown>
    assert.deepEqual(
      [facts.id, facts.name, facts.key, facts.status],
      [vault.id, vault.name, vault.key, 'active']
    )
    assert.ok(month() in (facts.request_count as object) && facts.created_at)
    const inside = await visitor.page(`/vault/${vault.id}?path=photos`)
    const { files } = inside.json.props!.objects as { files: Record<string, unknown>[] }
    assert.deepEqual([files.length, files[0].name], [1, 'boat.txt'])
    assert.ok(DateTime.fromISO(String(files[0].last_modified)).isValid)
    await visit(page, `/vault/${vault.id}?path=photos`)
    await page.getByRole('navigation', { name: 'Folder' }).waitFor()
    await page.getByRole('button', { name: 'Create Folder' }).waitFor()
    const heads = (await page.getByRole('columnheader').allInnerTexts()).map((one) => one.trim())
    for (const head of ['Name', 'Type', 'Last Modified']) assert.ok(heads.includes(head), head)
  })

  proves(['C7.49', 'C7.50'], async () => {
    const visitor = await signIn(stage.person)
    const folder = { vault_id: vault.id, type: 'folder', name: 'bills', path: '' }
    assert.equal((await visitor.post('/vault/object/store', folder)).json.success, true)
    const folders = async () => {
      const { json } = await visitor.page(`/vault/${vault.id}`)
      return (json.props!.objects as { folders: string[] }).folders
    }
    assert.deepEqual(await folders(), ['bills', 'photos'])
    const gone = { vault_id: vault.id, path: 'bills', type: 'folder' }
    assert.equal((await visitor.post('/vault/object/delete', gone)).json.success, true)
    assert.deepEqual(await folders(), ['photos'])
    assert.equal((await upload(vault, '', 'one.txt')).status, 200)
    const file = { vault_id: vault.id, path: 'one.txt', type: 'file' }
    assert.equal((await visitor.post('/vault/object/delete', file)).json.success, true)
    const { json } = await visitor.page(`/vault/${vault.id}`)
    assert.deepEqual((json.props!.objects as { files: unknown[] }).files, [])
  })

  proves(['C7.57', 'C7.58'], async () => {
    const { url } = await startTestVaultService()
    const headers = {
      'X-Secret-Key': vault.secretKey!,
      'X-Access-Key-Id': String(stage.person.id),
    }
    const form = new FormData()
    form.append('folder', 'trips/2026')
    form.append('filename', 'named.txt')
    form.append('cache', 'invalidate')
    form.append('file', new Blob(['ahoy']), 'other.txt')
    const sent = await fetch(`${url}/upload`, { method: 'POST', headers, body: form })
    const answer = (await sent.json()) as Record<string, unknown>
    assert.deepEqual([answer.success, answer.filepath], [true, 'trips/2026/named.txt'])
    assert.ok(answer.message)
    const read = () => fetch(`${url}/${vault.key}/trips/2026/named.txt`)
    assert.equal(await (await read()).text(), 'ahoy')
    const query = 'folder=trips/2026&filename=named.txt&cache=invalidate'
    const removed = await fetch(`${url}/remove?${query}`, { headers })
    const words = (await removed.json()) as Record<string, unknown>
    assert.deepEqual([words.success, words.filepath], [true, 'trips/2026/named.txt'])
    assert.equal((await read()).status, 404)
    const wrong = await fetch(`${url}/remove?${query}`, {
      headers: { ...headers, 'X-Secret-Key': 'another' },
    })
    assert.equal(wrong.status, 401)
  })

  proves('C4.11', async () => {
    const { page } = stage
    await vault.merge({ status: 'suspended' }).save()
    await visit(page, '/vault/list')
    const row = page.getByRole('row').filter({ hasText: vault.name })
    await row.getByText('Not Available').waitFor()
    await vault.merge({ status: 'active' }).save()
  })
})
