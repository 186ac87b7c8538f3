/// <reference lib="dom" />
import type { ServerInstance } from '#instances/public'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { zipOf } from '#files/tests/zip'
import { waitForToast, visit } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { type WebRootMachine, startWebRootMachine } from '#tests/support/web_root_machine'
import { uniqueName } from '#tests/support/hosts'
import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

test.group('File manager of a customer', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let machine: WebRootMachine
  let instance: ServerInstance
  let folder: string

  group.setup(async () => {
    machine = await startWebRootMachine()
    instance = await machine.instanceOf(stage.person)
    return () => machine.stop()
  })
  group.each.setup(async () => {
    folder = uniqueName('site')
    await mkdir(join(machine.root, folder, 'inside'), { recursive: true })
    await writeFile(join(machine.root, folder, 'note.txt'), 'one\ntwo\n')
    await writeFile(
      join(machine.root, folder, 'pack.zip'),
      zipOf([{ name: 'unpacked.txt', content: 'here' }])
    )
  })
  const list = () => visit(stage.page, `/file-manager?path=/${folder}`)
  const there = () => readdir(join(machine.root, folder))
  const link = (name: string) => stage.page.getByRole('link', { name, exact: true })

  proves(['C2.51', 'C2.52', 'C2.53', 'C5.18', 'C8.7'], async () => {
    const { page, context } = stage
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await list()
    await page.getByRole('navigation', { name: 'Folder' }).getByText(folder).waitFor()
    const table = page.getByRole('table', { name: 'Folders and files' })
    for (const name of ['inside', 'note.txt', 'pack.zip']) {
      await table.getByRole('link', { name, exact: true }).waitFor()
    }
    const select = page.getByLabel('Server instance', { exact: true })
    assert.deepEqual(await select.locator('option').allInnerTexts(), [instance.name])
    await page.getByRole('button', { name: /^(Clone|Git)$/ }).waitFor()
    for (const name of ['Add New Folder', 'Add New File', 'Upload File', 'Copy Path']) {
      await page.getByRole('button', { name, exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Copy Path' }).click()
    await waitForToast(page, 'Path Copied!')
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `/${folder}`)
    const { json } = await (await signIn(stage.person)).page('/file-manager')
    assert.equal(json.props!.uploadLimit, 500 * 1024 ** 2)
  })

  proves(
    ['C2.54', 'C2.55', 'C5.16', 'C5.17', 'C5.23', 'C7.15', 'C7.16', 'C7.17', 'C7.18'],
    async () => {
      const { page } = stage
      await list()
      const items = async () => {
        const all = await page.getByRole('menuitem').allInnerTexts()
        return all.map((one) => one.trim()).sort()
      }
      const wanted = ['Change mode', 'Copy', 'Cut', 'Delete', 'Download', 'Rename']
      await link('pack.zip').click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Unzip' }).waitFor()
      assert.deepEqual(await items(), [...wanted, 'Unzip'])
      await page.keyboard.press('Escape')
      await page.getByRole('menuitem', { name: 'Unzip' }).waitFor({ state: 'detached' })
      const menu = async (name: string, action: string) => {
        await page.getByRole('button', { name: `Actions for ${name}` }).click()
        await page.getByRole('menuitem', { name: action }).click()
      }
      await page.getByRole('button', { name: 'Actions for note.txt' }).click()
      await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
      assert.deepEqual(await items(), wanted)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Download' }).click(),
      ])
      assert.equal(new URL(download.url()).pathname, '/file-manager/download-file')
      assert.equal(await readFile((await download.path())!, 'utf8'), 'one\ntwo\n')

      await menu('note.txt', 'Rename')
      const dialog = page.getByRole('dialog', { name: 'Rename' })
      const rename = dialog.getByRole('button', { name: 'Rename', exact: true })
      const asked: string[] = []
      page.on('request', (one) => void asked.push(new URL(one.url()).pathname))
      // When the field gets the focus, the name up to its extension is selected.
      const name = dialog.getByLabel('New name')
      assert.equal(await name.inputValue(), 'note.txt')
      assert.equal(await rename.getAttribute('aria-disabled'), 'true')
      await name.press('Enter')
      await name.press('Control+a')
      await name.press('Backspace')
      assert.equal(await name.inputValue(), '')
      assert.equal(await rename.getAttribute('aria-disabled'), 'true')
      await name.press('Enter')
      assert.ok(!asked.includes('/file-manager/rename'))
      await name.pressSequentially('other.txt')
      const renamed = page.waitForRequest('**/file-manager/rename')
      await rename.click()
      assert.deepEqual((await renamed).postDataJSON(), {
        oldPath: `${folder}/note.txt`,
        newPath: `${folder}/other.txt`,
        server_instance_id: instance.id,
      })
      await link('other.txt').waitFor()

      await menu('pack.zip', 'Unzip')
      const unzip = page.waitForRequest('**/file-manager/unzip-file*')
      await page.getByRole('button', { name: 'Unzip', exact: true }).click()
      const sent = (await unzip).postDataJSON() as Record<string, unknown>
      assert.deepEqual([sent.file_path, sent.destination_path], [`${folder}/pack.zip`, folder])
      const operation = await eventually(() =>
        Operation.query().where({ accountId: stage.person.id, kind: 'files.unzip' }).firstOrFail()
      )
      await runSteps(operation.id)
      await link('unpacked.txt').waitFor()

      await menu('inside', 'Delete')
      await page.getByText(`Sure to delete: ${folder}/inside`).waitFor()
      const removed = page.waitForRequest('**/file-manager/delete')
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      const { type, path } = (await removed).postDataJSON() as Record<string, unknown>
      assert.deepEqual([type, path], ['folder', `${folder}/inside`])
      await link('inside').waitFor({ state: 'detached' })
      assert.deepEqual((await there()).sort(), ['other.txt', 'pack.zip', 'unpacked.txt'])
    }
  )

  proves(['C1.4', 'C3.15', 'C7.10', 'C7.13', 'C7.14'], async () => {
    const { page, person } = stage
    await list()
    for (const [button, name, type] of [
      ['Add New Folder', 'made', 'folder'],
      ['Add New File', 'made.txt', 'file'],
    ]) {
      await page.getByRole('button', { name: button }).click()
      await page.getByLabel('Name').fill(name)
      const call = page.waitForRequest('**/file-manager/store')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const sent = (await call).postDataJSON() as Record<string, unknown>
      assert.deepEqual([sent.path, sent.name, sent.type], [folder, name, type])
      await link(name).waitFor()
    }
    const call = page.waitForRequest('**/file-manager/upload-file*')
    await page
      .getByLabel('Files to upload')
      .setInputFiles([{ name: 'up.txt', mimeType: 'text/plain', buffer: Buffer.from('sent') }])
    assert.match((await call).headers()['content-type'], /^multipart\/form-data/)
    await link('up.txt').waitFor()
    assert.equal(await readFile(join(machine.root, folder, 'up.txt'), 'utf8'), 'sent')
    const { json } = await (await signIn(person)).page(`/file-manager?path=/${folder}`)
    const { path, files, directories, serverInstances, git } = json.props! as Record<string, never>
    const names = (all: unknown) => (all as { name: string }[]).map(({ name }) => name).sort()
    assert.deepEqual(
      [path, names(directories), names(files), names(serverInstances), git],
      [
        folder,
        ['inside', 'made'],
        ['made.txt', 'note.txt', 'pack.zip', 'up.txt'],
        [instance.name],
        null,
      ]
    )
  })

  proves('C9.17', async () => {
    const { page } = stage
    for (let each = 0; each < 80; each++) {
      await writeFile(join(machine.root, folder, `file-${each}.txt`), '')
    }
    await list()
    await link('file-20.txt').waitFor()
    await page.evaluate(() => scrollTo(0, 900))
    await page.waitForFunction(() => {
      const kept = JSON.stringify(history.state)
      return scrollY === 900 && kept.includes('900')
    })
    // Dispatches the event directly, because a real click might scroll first.
    await link('file-20.txt').dispatchEvent('click')
    await page.getByRole('textbox', { name: 'Text of file-20.txt' }).waitFor()
    // Inertia saves the scroll position 100 ms after a scroll, even onto the next page. This longer timer in
    // the same thread always fires later.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))
    )
    await page.goBack()
    await link('file-20.txt').waitFor()
    await page.waitForFunction(() => Math.abs(scrollY - 900) < 5)
  })
})
