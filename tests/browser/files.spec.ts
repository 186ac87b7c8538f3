/// <reference lib="dom" />
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { assertAccessible, assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  waitForToast,
  visit,
  openPageAs,
  signInByRequest,
} from '#tests/support/browser'
import { makeCustomer } from '#tests/support/people'
import { zipOf } from '#files/tests/zip'
import { runSteps } from '#core/operations/runner'
import Operation from '#core/models/operation'
import { eventually } from '#tests/support/eventually'
import { retireHosts, uniqueName } from '#tests/support/hosts'
import { waitForBoot } from '#tests/support/wait_for_boot'
import { readZip } from '#tests/support/zips'
import { startWorker } from '#tests/support/worker'
import type { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import { webRoot } from '#guest/public'
import { rootShellCommand } from '#terminal/actions/root_shell'
import { makeHost, makeInstance } from '#projects/tests/fixtures'
import { Incus } from '#packages/incus/main'
import type Person from '#identity/models/person'
import { test } from '@japa/runner'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

let machine: WebRootMachine

test.group('File manager', (group) => {
  group.each.setup(async () => {
    machine = await startWebRootMachine()
    return () => machine.stop()
  })

  test('creates, edits, uploads, renames, unzips and deletes files', async ({ assert }) => {
    const customer = await makeCustomer()
    const instance = await machine.instanceOf(customer)
    const { context, page } = await openBrowser()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signInByRequest(page, customer)
    await visit(page, '/file-manager')
    await page.getByText('This folder is empty').waitFor()
    await takeScreenshot(page, 'files-empty')

    await page.getByRole('button', { name: 'Add New Folder' }).click()
    await page.getByLabel('Name').fill('my site')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('link', { name: 'my site' }).click()
    await page.getByRole('navigation', { name: 'Folder' }).getByText('my site').waitFor()
    await page.getByRole('button', { name: 'Copy Path' }).click()
    await waitForToast(page, 'Path Copied!')
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), '/my site')

    await page.getByRole('button', { name: 'Add New File' }).click()
    await page.getByLabel('Name').fill('index.html')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('link', { name: 'index.html' }).click()
    const text = page.getByRole('textbox', { name: 'Text of index.html' })
    await text.click()
    await page.keyboard.type('<h1>Hello</h1>')
    await page.getByText('Not saved').waitFor()
    await page.getByRole('button', { name: 'Changes' }).click()
    await page.getByText('Removed', { exact: true }).waitFor()
    await page.getByText('Added', { exact: true }).waitFor()
    await takeScreenshot(page, 'files-changes')
    await assertAccessibleInBothColorSchemes(page, 'files-changes')
    await page.getByRole('button', { name: 'Back to text' }).click()
    page.once('dialog', (dialog) => void dialog.dismiss())
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await waitForToast(page, 'File saved.')
    const file = join(machine.root, 'my site/index.html')
    assert.match(await readFile(file, 'utf8'), /^<h1>Hello<\/h1>/)
    await takeScreenshot(page, 'files-editor')
    await assertAccessibleInBothColorSchemes(page, 'files-editor')

    await writeFile(file, 'by somebody else')
    await text.click()
    await page.keyboard.type('x')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog', { name: 'The file has changed' }).waitFor()
    await page.getByRole('button', { name: 'Overwrite file' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('link', { name: 'index.html' }).waitFor()

    const archive = zipOf([
      { name: 'in/side.txt', content: 'unpacked' },
      { name: '__MACOSX/in/._side.txt', content: 'junk' },
      { name: 'in/out', content: '/etc/passwd', mode: 0o120777 },
    ])
    await page.getByLabel('Files to upload').setInputFiles([
      { name: 'pack.zip', mimeType: 'application/zip', buffer: archive },
      { name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('uploaded') },
    ])
    const tray = page.getByRole('region', { name: 'Uploads' })
    await tray.getByText('Replace it?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click()
    await page.getByRole('link', { name: 'pack.zip' }).waitFor()
    await eventually(async () => assert.equal(await readFile(file, 'utf8'), 'uploaded'))
    await tray.getByRole('button', { name: 'Clear' }).click()

    const calls: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') calls.push(new URL(request.url()).pathname)
    })
    const some = ['one.css', 'two.css', 'three.css']
    await page
      .getByLabel('Files to upload')
      .setInputFiles(
        some.map((name) => ({ name, mimeType: 'text/css', buffer: Buffer.from(name) }))
      )
    for (const name of some) {
      await page.getByRole('link', { name, exact: true }).waitFor()
      assert.equal(await readFile(join(dirname(file), name), 'utf8'), name)
    }
    assert.deepEqual(calls, ['/file-manager/upload-files'])
    await takeScreenshot(page, 'files-uploaded-together')
    await tray.getByRole('button', { name: 'Clear' }).click()

    await page.getByRole('button', { name: 'Actions for pack.zip' }).click()
    await takeScreenshot(page, 'files-menu')
    await assertAccessibleInBothColorSchemes(page, 'files-menu')
    await page.getByRole('menuitem', { name: 'Unzip' }).click()
    await page.getByRole('button', { name: 'Unzip', exact: true }).click()
    const operation = await eventually(() =>
      Operation.query().where({ accountId: customer.id, kind: 'files.unzip' }).firstOrFail()
    )
    await runSteps(operation.id)
    await page.getByRole('link', { name: 'in', exact: true }).waitFor()
    await page
      .getByText(
        'Skipped 1 link to a target outside the archive and 1 file created by desktop systems',
        {
          exact: false,
        }
      )
      .waitFor()
    await takeScreenshots(page, 'files-left-out')
    await assertAccessibleInBothColorSchemes(page, 'files-left-out')

    await page.getByRole('button', { name: 'Actions for index.html' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('New name').fill('home.html')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('link', { name: 'home.html' }).waitFor()
    await page.getByRole('button', { name: 'Actions for home.html' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('Sure to delete: my site/home.html').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'home.html' }).waitFor({ state: 'detached' })
    assert.equal(instance.accountId, customer.id)
  }).timeout(1_800_000)

  test('cuts, copies, pastes, changes the mode of and deletes several files at once', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    await machine.instanceOf(customer)
    const site = join(machine.root, 'site')
    await mkdir(join(site, 'assets'), { recursive: true })
    await mkdir(join(machine.root, 'archive'))
    const names = ['about.html', 'contact.html', 'index.html', 'two words.css']
    for (const name of names) await writeFile(join(site, name), name)
    const page = await openPageAs(customer)
    await visit(page, '/file-manager?path=/site')
    const folder = page.getByRole('navigation', { name: 'Folder' })
    const bar = page.getByRole('group', { name: 'Selected items' })
    const paste = page.getByRole('button', { name: 'Paste' })
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    const up = () => folder.getByRole('link').first().click()
    assert.equal(await paste.getAttribute('aria-description'), 'Copy or cut something first.')

    const table = page.getByRole('table', { name: 'Folders and files' })
    await takeScreenshot(page, 'files-several')
    const before = await table.boundingBox()
    await box('about.html').click()
    await box('contact.html').click()
    await page.getByText('2 selected').waitFor()
    assert.deepEqual(await table.boundingBox(), before)
    await takeScreenshots(page, 'files-selected')
    await assertAccessibleInBothColorSchemes(page, 'files-selected')
    const [zipped] = await Promise.all([
      page.waitForEvent('download'),
      bar.getByRole('link', { name: 'Download' }).click(),
    ])
    assert.equal(zipped.suggestedFilename(), 'site.zip')
    const inside = await readZip(await readFile((await zipped.path())!))
    assert.deepEqual([...inside.keys()].sort(), ['about.html', 'contact.html'])
    await bar.getByRole('button', { name: 'Cut' }).click()
    await page.getByRole('button', { name: 'Paste 2 items' }).waitFor()
    assert.equal(
      await paste.getAttribute('aria-description'),
      'The cut items are already in this folder.'
    )
    await takeScreenshots(page, 'files-cut')
    await assertAccessible(page, 'files-cut')
    await up()
    await link('archive').click()
    await page.getByText('This folder is empty').waitFor()
    await paste.click()
    await waitForToast(page, '2 items moved.')
    await link('about.html').waitFor()
    assert.deepEqual((await readdir(join(machine.root, 'archive'))).sort(), names.slice(0, 2))
    await eventually(async () => {
      const reason = await paste.getAttribute('aria-description')
      assert.equal(reason, 'Copy or cut something first.')
    })

    // Copies two files with Ctrl+C and Ctrl+V: within their folder, then into `site`, from which they had been moved.
    await page.getByRole('row', { name: /about\.html/ }).focus()
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Control+c')
    await page.keyboard.press('Control+v')
    await link('about copy.html').waitFor()
    await up()
    await link('site').click()
    await link('index.html').waitFor()
    await page.getByText('3 items').waitFor()
    await page.keyboard.press('Control+v')
    await waitForToast(page, '2 items copied.')
    await link('about.html').waitFor()
    assert.equal(await readFile(join(site, 'contact.html'), 'utf8'), 'contact.html')
    // The button ignores clicks until the files of the last paste are shown.
    await paste.and(page.locator(':not([data-loading])')).click()
    await waitForToast(page, '“about.html” already exists. Nothing was changed.')

    await page.getByRole('row', { name: /index\.html/ }).focus()
    await page.keyboard.press('Control+a')
    await bar.getByRole('button', { name: 'Change mode' }).click()
    const modes = page.getByRole('dialog', { name: 'Change mode of 5 items' })
    await modes.getByLabel('Mode', { exact: true }).fill('640')
    await modes.getByRole('group', { name: 'Others' }).getByLabel('Read').check()
    await modes.getByLabel('Also change everything inside folders').check()
    await takeScreenshots(page, 'files-mode')
    await assertAccessibleInBothColorSchemes(page, 'files-mode')
    await modes.getByRole('button', { name: 'Change mode' }).click()
    await waitForToast(page, 'Mode of 5 items changed.')
    const modeOf = async (name: string) => ((await stat(join(site, name))).mode & 0o777).toString(8)
    assert.deepEqual(await Promise.all(['assets', 'index.html'].map(modeOf)), ['755', '644'])

    await page.getByRole('checkbox', { name: 'Select all' }).uncheck()
    for (const name of ['assets', 'index.html', 'two words.css']) await box(name).click()
    await page.keyboard.press('Delete')
    const asking = page.getByRole('dialog', { name: 'Delete' })
    await asking.getByText('Sure to delete: 3 items').waitFor()
    await takeScreenshots(page, 'files-delete-several')
    await asking.getByRole('button', { name: 'Delete' }).click()
    await waitForToast(page, '3 items deleted.')
    await link('index.html').waitFor({ state: 'detached' })
    assert.deepEqual((await readdir(site)).sort(), ['about.html', 'contact.html'])
    await page.getByRole('button', { name: 'Actions for about.html' }).click()
    await page.getByRole('menuitem', { name: 'Cut' }).click()
    await page.getByRole('button', { name: 'Paste 1 item' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Paste 1 item' }).waitFor()
  }).timeout(1_800_000)

  test('a text file in Windows-1252 keeps its encoding until a character needs UTF-8', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    await machine.instanceOf(customer)
    const file = join(machine.root, 'old.txt')
    await writeFile(file, Buffer.from('caf\xe9', 'latin1'))
    const page = await openPageAs(customer)
    await visit(page, '/file-manager/file?path=/old.txt')
    await page.getByText('Windows-1252, LF').waitFor()
    await page.getByRole('textbox', { name: 'Text of old.txt' }).click()
    await page.keyboard.type('€')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    assert.deepEqual(await readFile(file, 'latin1'), 'caf\xe9\x80')
    await page.keyboard.type('ভ')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Some characters cannot be saved' })
    await dialog.getByText('which does not contain “ভ”', { exact: false }).waitFor()
    await takeScreenshots(page, 'files-encoding', false)
    await assertAccessibleInBothColorSchemes(page, 'files-encoding')
    await dialog.getByRole('button', { name: 'Save as UTF-8' }).click()
    await page.getByText('UTF-8, LF').waitFor()
    assert.equal(await readFile(file, 'utf8'), 'café€ভ')
  }).timeout(1_800_000)

  test('a dropped folder is uploaded with all its contents', async ({ assert }) => {
    const customer = await makeCustomer()
    await machine.instanceOf(customer)
    const [given, there] = [join(machine.outside, 'my site'), join(machine.root, 'my site')]
    for (const name of ['css/deep', 'empty', 'ভাষা'])
      await mkdir(join(given, name), { recursive: true })
    const files = ['index.html', '100%25.txt', 'css/a.css', 'css/deep/ñ.css', 'ভাষা/পাতা.html']
    for (const name of files) await writeFile(join(given, name), name)
    await writeFile(join(given, 'css/deep/no bytes.css'), '')
    await mkdir(join(there, 'css'), { recursive: true })
    await writeFile(join(there, 'css/a.css'), 'old')
    const { context, page } = await openBrowser()
    await signInByRequest(page, customer)
    await visit(page, '/file-manager')
    const cdp = await context.newCDPSession(page)
    const data = { items: [], files: [given], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await cdp.send('Input.dispatchDragEvent', { type, x: 600, y: 300, data })
    }
    const tray = page.getByRole('region', { name: 'Uploads' })
    await tray.getByText('Replace it?').waitFor()
    assert.equal(await readFile(join(there, 'css/a.css'), 'utf8'), 'old')
    await takeScreenshot(page, 'files-folder-dropped')
    await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click()
    for (const name of files) {
      await eventually(async () => assert.equal(await readFile(join(there, name), 'utf8'), name))
    }
    assert.deepEqual(await readdir(join(there, 'empty')), [])
    assert.equal((await stat(join(there, 'css/deep/no bytes.css'))).size, 0)
  }).timeout(1_800_000)

  test('works on a phone, in the dark scheme and with many files', async ({ assert }) => {
    const customer = await makeCustomer()
    await machine.instanceOf(customer)
    const many = join(machine.root, 'many')
    await mkdir(join(many, 'folder'), { recursive: true })
    for (let one = 0; one < 3_000; one++) await writeFile(join(many, `file-${one}.txt`), 'text')
    const page = await openPageAs(customer, { width: 390, scheme: 'dark' })
    await visit(page, '/file-manager?path=/many')
    await page.getByRole('link', { name: 'file-0.txt' }).waitFor()
    assert.isBelow(await page.getByRole('row').count(), 200)
    const wider = 'document.documentElement.scrollWidth > window.innerWidth'
    assert.isFalse(await page.evaluate(wider))
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByRole('link', { name: 'file-2999.txt' }).waitFor()
    await page.evaluate('window.scrollTo(0, 0)')
    await page.getByRole('link', { name: 'file-0.txt' }).click()
    await page.getByRole('textbox', { name: 'Text of file-0.txt' }).waitFor()
    assert.isFalse(await page.evaluate(wider))
    await takeScreenshot(page, 'files-editor-phone-dark')
  }).timeout(1_800_000)
})

const socket = process.env.INCUS_SOCKET
/**
 * Moves a site from another folder into the web root. The moved files then belong to root, so only root may change
 * them.
 */
const MOVED_SITE_SCRIPT = `rm -rf site ~/site
mkdir -p ~/site/private
echo '<h1>Hello</h1>' > ~/site/index.html
echo old > ~/site/old.txt
chmod 700 ~/site/private
mv ~/site .`
const MACHINE_TIMEOUT_MS = 480_000

test.group('File manager on a real instance', (group) => {
  if (!socket) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  const incus = Incus.local(socket)
  const system = uniqueName('files-pages')
  let customer: Person
  let instance: ServerInstance

  group.setup(async () => {
    const profile = await incus.profiles.get('default')
    const wanted = {
      name: system,
      image: 'berth-base',
      config: { 'limits.cpu': '1', 'limits.memory': '512MiB' },
      devices: { root: { ...profile.devices.root!, size: '4GiB' } },
      start: true,
    }
    await (await incus.instances.create(wanted)).wait(300)
    await waitForBoot(incus, system)
    const host = await makeHost(socket)
    customer = await makeCustomer()
    instance = await makeInstance(customer, { systemId: system, hostInstanceId: host.id })
    const stopWorker = await startWorker()
    return async () => {
      await stopWorker()
      await instance.merge({ status: 'deleted' }).save()
      await retireHosts(host)
      await (await incus.instances.delete(system)).wait(300)
      await incus.close()
    }
  })

  const inside = async (...argv: string[]) => {
    const { stdout } = await incus.instances.exec(system, argv, { timeout: 300 })
    return stdout.toString()
  }

  test('reports files that only root may change, and changes them after fixing their ownership', async ({
    assert,
  }) => {
    const machine = await connectToActiveInstance(instance)
    const terminal = { user: 'root' as const, stdin: `set -e\n${MOVED_SITE_SCRIPT}\n` }
    const { code, stderr } = await machine.exec(rootShellCommand(webRoot.path), terminal)
    assert.equal(code, 0, stderr.toString())
    const owners = () =>
      inside('stat', '-c', '%U', `${webRoot.path}/site`, `${webRoot.path}/site/old.txt`)
    assert.equal(await owners(), 'root\nroot\n')

    const page = await openPageAs(customer)
    await visit(page, '/file-manager?path=/site')
    const fixing = page.getByRole('dialog', { name: 'Fix ownership' })
    await page.getByRole('button', { name: 'Actions for old.txt' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await waitForToast(page, 'Permission denied: another user of the server instance')
    await fixing.getByText('The terminal runs as root', { exact: false }).waitFor()
    await takeScreenshots(page, 'files-fix-ownership', false)
    await fixing.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('link', { name: 'private', exact: true }).click()
    await page.getByText('This folder could not be loaded').waitFor()
    const shown = page.getByRole('main')
    await shown.getByText(/^Permission denied: .* Choose “Fix ownership”/).waitFor()
    await takeScreenshots(page, 'files-denied')

    await visit(page, '/file-manager?path=/site')
    await page.getByRole('link', { name: 'index.html' }).click()
    await page.getByRole('textbox', { name: 'Text of index.html' }).click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('<!doctype html>')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await fixing.waitFor()
    await page.getByText('Not saved').waitFor()
    await takeScreenshots(page, 'files-fix-ownership-editor', false)
    await fixing.getByRole('button', { name: 'Fix ownership' }).click()
    await waitForToast(page, /^\d+ files and folders fixed\.$/)
    // After the repair, the rejected save is repeated automatically.
    await waitForToast(page, 'File saved.')
    await page.getByText('Saved', { exact: true }).waitFor()
    const text = await inside('cat', `${webRoot.path}/site/index.html`)
    assert.equal(text, '<!doctype html><h1>Hello</h1>\n')
    assert.equal(await owners(), 'berth\nberth\n')

    await visit(page, '/file-manager?path=/site/private')
    await page.getByText('This folder is empty').waitFor()
    await visit(page, '/file-manager')
    await page.getByRole('button', { name: 'Actions for site' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'site', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Fix ownership' }).click()
    await fixing.getByRole('button', { name: 'Fix ownership' }).click()
    await waitForToast(page, 'All files already have the right owner. Nothing was changed.')
  }).timeout(2 * MACHINE_TIMEOUT_MS)

  test('creates, edits, uploads, unzips, downloads and deletes files, and reports an instance that is off', async ({
    assert,
  }) => {
    const page = await openPageAs(customer)
    await visit(page, '/file-manager')
    await page.getByRole('button', { name: 'Add New File' }).click()
    await page.getByLabel('Name').fill('hello.txt')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('link', { name: 'hello.txt' }).click()
    await page.getByRole('textbox', { name: 'Text of hello.txt' }).click()
    await page.keyboard.type('from a browser')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await waitForToast(page, 'File saved.')
    await page.getByRole('button', { name: 'Close', exact: true }).click()

    const archive = zipOf([
      { name: 'in/side.txt', content: 'unpacked' },
      // Old zip programs write names in other encodings than UTF-8.
      { name: Buffer.from('in/\x9aber.txt', 'latin1'), content: 'over' },
      { name: 'in/über.md', content: 'over', system: 0 },
    ])
    const dropped = [
      { name: 'one.txt', content: Buffer.from('one') },
      { name: 'two words.txt', content: Buffer.from('two') },
      { name: 'pack.zip', content: archive },
    ]
    const transfer = await page.evaluateHandle(
      (files) => {
        const carried = new DataTransfer()
        for (const { name, base64 } of files) {
          const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
          carried.items.add(new File([bytes], name))
        }
        return carried
      },
      dropped.map(({ name, content }) => ({ name, base64: content.toString('base64') }))
    )
    const heading = page.getByRole('heading', { name: 'File Manager', level: 1 })
    await heading.dispatchEvent('dragover', { dataTransfer: transfer })
    await heading.dispatchEvent('drop', { dataTransfer: transfer })
    for (const { name } of dropped) await page.getByRole('link', { name }).waitFor()
    await page
      .getByRole('region', { name: 'Uploads' })
      .getByRole('button', { name: 'Clear' })
      .click()
    await takeScreenshot(page, 'files-instance')

    await page.getByRole('button', { name: 'Actions for pack.zip' }).click()
    await page.getByRole('menuitem', { name: 'Unzip' }).click()
    await page.getByRole('button', { name: 'Unzip', exact: true }).click()
    await page
      .getByRole('link', { name: 'in', exact: true })
      .waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await page.getByRole('button', { name: 'Actions for two words.txt' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'two words.txt')
    assert.equal(await readFile((await download.path())!, 'utf8'), 'two')
    const secret = `${webRoot.path}/in/secret`
    await inside('sh', '-c', 'echo x > "$1" && chmod 600 "$1"', 'sh', secret)
    await page.getByRole('button', { name: 'Actions for in', exact: true }).click()
    await takeScreenshot(page, 'files-folder-menu')
    const [folder] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download as zip' }).click(),
    ])
    assert.equal(folder.suggestedFilename(), 'in.zip')
    const zip = await readZip(await readFile((await folder.path())!))
    assert.deepEqual(
      Object.fromEntries([...zip].map(([name, content]) => [name, content.toString()])),
      {
        'side.txt': 'unpacked',
        'Über.txt': 'over',
        'über.md': 'over',
        'MISSING FILES.txt':
          'These files are missing from this archive, or changed while they were read:\r\n\r\nsecret: Cannot open: Permission denied\r\n',
      }
    )
    await inside('rm', secret)
    await page.getByRole('button', { name: 'Actions for one.txt' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'one.txt' }).waitFor({ state: 'detached' })
    // The files belong to the site's owner, although commands through Incus run as root.
    const owners = await inside('sh', '-c', 'cd /var/www/public_html && stat -c "%U %n" * */*')
    assert.deepEqual(
      owners.trim().split('\n').sort(),
      ['hello.txt', 'in', 'in/side.txt', 'in/Über.txt', 'in/über.md', 'pack.zip', 'two words.txt']
        .map((name) => `${owners.split(' ')[0]} ${name}`)
        .sort()
    )
    assert.notMatch(owners, /^root /m)
    assert.equal(await inside('cat', '/var/www/public_html/hello.txt'), 'from a browser')

    await (await incus.instances.setState(system, 'stop', { force: true })).wait(300)
    await page.getByRole('button', { name: 'Add New File' }).click()
    await page.getByLabel('Name').fill('late.txt')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await waitForToast(page, 'The server instance cannot be reached right now.')
    await visit(page, '/file-manager')
    await page.getByText('This folder could not be loaded').waitFor()
    await page.getByText('The server instance cannot be reached right now.').first().waitFor()
    await takeScreenshot(page, 'files-instance-off')
  }).timeout(2 * MACHINE_TIMEOUT_MS)
})
