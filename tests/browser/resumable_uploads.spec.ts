import { assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import { startBreakableConnection } from '#tests/support/breakable_connection'
import { openBrowser, takeScreenshots, signInByRequest } from '#tests/support/browser'
import { makeCustomer } from '#tests/support/people'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { test } from '@japa/runner'
import { createHash, randomBytes } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const MIB = 1024 ** 2
/**
 * Bytes that may be sent again after a broken connection: those in buffers between the browser and the instance, and
 * the last MiB.
 */
const MAX_LOST_BYTES_PER_BREAK = 20 * MIB
/** Long, because browser, console and instance share the processors with other tests. */
const ARRIVAL_TIMEOUT_MS = 600_000

let machine: WebRootMachine

const sha256 = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

test.group('Large uploads', (group) => {
  group.each.setup(async () => {
    machine = await startWebRootMachine()
    return () => machine.stop()
  })

  test('continue after the connection broke, and after a reload of the page', async ({
    assert,
    cleanup,
  }) => {
    const customer = await makeCustomer()
    await machine.instanceOf(customer)
    const connection = await startBreakableConnection(Number(process.env.PORT))
    cleanup(() => connection.stop())
    await mkdir(join(machine.root, 'ভাষা'))
    const file = join(machine.outside, 'বড় file.bin')
    const size = 120 * MIB + 5
    await writeFile(file, randomBytes(size))
    const { page } = await openBrowser()
    await signInByRequest(page, customer)
    // The proxy has another port. Cookies are valid on all ports, so the person is signed in there too.
    await page.goto(`${connection.base}/file-manager?path=/ভাষা`)
    const tray = page.getByRole('region', { name: 'Uploads' })
    const choose = () => page.getByLabel('Files to upload').setInputFiles(file)
    const lost = tray.getByText(/^Connection lost\. Continuing in \d+ s\.$/)
    const offsets: number[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/upload-part')) offsets.push(Number(searchParams.get('offset')))
    })

    const before = connection.sent()
    const firstBreak = connection.breakAfter(40 * MIB)
    await choose()
    await firstBreak
    await lost.waitFor()
    await takeScreenshots(page, 'files-connection-lost', false)
    await assertAccessibleInBothColorSchemes(page, 'files-connection-lost')
    connection.restore()
    const secondBreak = connection.breakAfter(30 * MIB)
    await tray.getByRole('button', { name: 'Continue now' }).click()
    await secondBreak
    await lost.waitFor()
    connection.restore()
    // After the second break, the upload continues automatically until this third break.
    await connection.breakAfter(10 * MIB)
    await lost.waitFor()
    connection.restore()

    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    const sentOffsets = offsets.length
    await choose()
    await page.getByRole('link', { name: 'বড় file.bin' }).waitFor({ timeout: ARRIVAL_TIMEOUT_MS })
    await tray.getByText('Uploaded').waitFor()
    assert.isAbove(offsets[sentOffsets], 60 * MIB)
    assert.isBelow(connection.sent() - before, size + 3 * MAX_LOST_BYTES_PER_BREAK)
    assert.equal(await sha256(join(machine.root, 'ভাষা/বড় file.bin')), await sha256(file))
    assert.deepEqual(await readdir(machine.root), ['ভাষা'])
  }).timeout(1_800_000)

  test('start again if the file has changed, and leave nothing if cancelled', async ({
    assert,
    cleanup,
  }) => {
    const customer = await makeCustomer()
    await machine.instanceOf(customer)
    const connection = await startBreakableConnection(Number(process.env.PORT))
    cleanup(() => connection.stop())
    const file = join(machine.outside, 'changing.bin')
    await writeFile(file, randomBytes(101 * MIB))
    const { page } = await openBrowser()
    await signInByRequest(page, customer)
    await page.goto(`${connection.base}/file-manager`)
    const tray = page.getByRole('region', { name: 'Uploads' })
    const choose = () => page.getByLabel('Files to upload').setInputFiles(file)
    const firstBreak = connection.breakAfter(40 * MIB)
    await choose()
    await firstBreak
    await tray.getByText('Connection lost.', { exact: false }).waitFor()
    connection.restore()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await appendFile(file, 'more')
    await choose()
    await tray.getByText('The file has changed since the interrupted upload').waitFor()
    await page.getByRole('link', { name: 'changing.bin' }).waitFor({ timeout: ARRIVAL_TIMEOUT_MS })
    assert.equal(await sha256(join(machine.root, 'changing.bin')), await sha256(file))

    const other = join(machine.outside, 'cancelled.bin')
    await writeFile(other, randomBytes(101 * MIB))
    const secondBreak = connection.breakAfter(40 * MIB)
    await page.getByLabel('Files to upload').setInputFiles(other)
    await secondBreak
    await tray.getByText('Connection lost.', { exact: false }).waitFor()
    assert.lengthOf(await readdir(machine.root), 2)
    connection.restore()
    const discarded = page.waitForResponse((response) => response.url().includes('/discard-upload'))
    await tray.getByRole('button', { name: 'Cancel cancelled.bin' }).click()
    assert.equal((await discarded).status(), 200)
    assert.deepEqual(await readdir(machine.root), ['changing.bin'])
  }).timeout(1_800_000)
})
