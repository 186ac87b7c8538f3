import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { BrowserFile } from '#files/tests/browser_file'
import { openUpload, sendUpload } from '#files/tests/upload'
import { zipOf } from '#files/tests/zip'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BYTES_PER_MIB = 1024 ** 2
const DISK_FULL_PATTERN = /^The disk of this server instance is full\. Nothing was changed/

let machine: WebRootMachine
let visitor: Visitor
let id: number

function at(path: string, query: Record<string, string> = {}): string {
  const all = new URLSearchParams({ ...query, server_instance_id: String(id) })
  return `/file-manager${path}?${all}`
}

/**
 * Uploads a file. If `told`, states its size and sends no content, because the server must reject it
 * early. Otherwise sends the content without its size, so the server notices a full disk only midway.
 */
async function upload(name: string, content: Buffer, told = false) {
  const path = at('/upload-file', { name, path: '', overwrite: '1' })
  if (!told) return sendUpload(visitor, path, name, content)
  const { request, answer } = openUpload(visitor, path, name, content.length)
  return answer.finally(() => request.destroy())
}

async function save(content: string) {
  const { status, json } = await visitor.post(at('/update-file'), { path: 'page.txt', content })
  return { status, message: json.message ?? '' }
}

async function unzip() {
  const asked = await visitor.post(at('/unzip-file', { file_path: 'pack.zip' }))
  const { id: operation } = asked.json.data?.operation as { id: string }
  await runSteps(operation)
  return Operation.findOrFail(operation)
}

/** Fills the disk until `left` bytes are free. */
async function fill(left: number) {
  const { bavail, bsize } = await statfs(machine.root)
  await writeFile(join(machine.root, 'ballast'), Buffer.alloc(bavail * bsize - left))
}

const makeRoom = () => rm(join(machine.root, 'ballast'))

function whyNoMount(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'berth-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'berth-test', folder])
    execFileSync('umount', [folder])
    return null
  } catch (error) {
    return `needs the right to mount a small disk: ${(error as Error).message.split('\n')[0]}`
  } finally {
    rmdirSync(folder)
  }
}

const reason = whyNoMount()

test.group('A full disk', (group) => {
  group.each.setup(async () => {
    machine = await startWebRootMachine()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'berth-test', machine.root])
    const customer = await makeCustomer()
    id = (await machine.instanceOf(customer)).id
    visitor = await signIn(customer)
    return async () => {
      execFileSync('umount', ['-l', machine.root])
      await machine.stop()
    }
  })

  test('rejects an upload at its start or midway, and accepts it when there is room', async ({
    assert,
  }) => {
    const file = join(machine.root, 'data.bin')
    const content = randomBytes(3 * BYTES_PER_MIB)
    await writeFile(file, 'old')
    await fill(BYTES_PER_MIB)
    for (const told of [true, false]) {
      const { status, message } = await upload('data.bin', content, told)
      assert.equal(status, 507)
      assert.match(message, DISK_FULL_PATTERN)
      assert.equal(await readFile(file, 'utf8'), 'old')
      assert.deepEqual((await readdir(machine.root)).sort(), ['ballast', 'data.bin'])
    }
    await makeRoom()
    assert.equal((await upload('data.bin', content)).status, 201)
    assert.isTrue(content.equals(await readFile(file)))
  }).skip(reason !== null, reason ?? '')

  test('rejects a large upload at its start or in a part, and continues when there is room', async ({
    assert,
  }) => {
    const file = new BrowserFile(visitor, id, 'large.bin', randomBytes(3 * BYTES_PER_MIB))
    assert.deepEqual(await file.part(0, BYTES_PER_MIB), [200, undefined])
    await fill(BYTES_PER_MIB)
    assert.deepInclude(await file.progress(), { status: 507, code: 'disk_full' })
    await makeRoom()
    assert.deepInclude(await file.progress(), { status: 200, offset: BYTES_PER_MIB })
    await fill(BYTES_PER_MIB)
    assert.deepEqual(await file.part(BYTES_PER_MIB), [507, 'disk_full'])
    assert.deepEqual(await readdir(machine.root), ['ballast'])
    await makeRoom()
    assert.deepEqual(await file.part(0), [200, undefined])
    assert.deepEqual(await file.finish(), [201, undefined])
    assert.isTrue(file.content.equals(await readFile(join(machine.root, 'large.bin'))))
  }).skip(reason !== null, reason ?? '')

  test('counts an unfinished earlier version of a large upload as free space', async ({
    assert,
  }) => {
    const first = new BrowserFile(visitor, id, 'large.bin', randomBytes(4 * BYTES_PER_MIB))
    assert.deepEqual(await first.part(0, 3 * BYTES_PER_MIB), [200, undefined])
    await fill(BYTES_PER_MIB)
    const changed = new BrowserFile(visitor, id, 'large.bin', randomBytes(3 * BYTES_PER_MIB))
    assert.deepInclude(await changed.progress(), { status: 200, offset: 0, hasOtherVersion: true })
    assert.deepEqual(await changed.part(0), [200, undefined])
    assert.deepEqual(await changed.finish(), [201, undefined])
    const larger = new BrowserFile(visitor, id, 'other.bin', randomBytes(3 * BYTES_PER_MIB))
    assert.deepInclude(await larger.progress(), { status: 507, code: 'disk_full' })
  }).skip(reason !== null, reason ?? '')

  test('rejects several small files, and accepts them when there is room', async ({ assert }) => {
    await fill(BYTES_PER_MIB / 10)
    const send = () =>
      sendUpload(
        visitor,
        at('/upload-files', { path: '/' }),
        'small.bin',
        randomBytes(BYTES_PER_MIB / 5)
      )
    const { status, message } = await send()
    assert.equal(status, 507)
    assert.match(message, DISK_FULL_PATTERN)
    assert.deepEqual(await readdir(machine.root), ['ballast'])
    await makeRoom()
    assert.equal((await send()).status, 201)
    assert.deepEqual(await readdir(machine.root), ['small.bin'])
  }).skip(reason !== null, reason ?? '')

  test('rejects a save, and accepts it when there is room', async ({ assert }) => {
    const file = join(machine.root, 'page.txt')
    await writeFile(file, 'old')
    await fill(BYTES_PER_MIB / 2)
    const longer = 'x'.repeat(BYTES_PER_MIB)
    const { status, message } = await save(longer)
    assert.equal(status, 507)
    assert.match(message, DISK_FULL_PATTERN)
    assert.equal(await readFile(file, 'utf8'), 'old')
    assert.deepEqual((await readdir(machine.root)).sort(), ['ballast', 'page.txt'])
    await makeRoom()
    assert.equal((await save(longer)).status, 200)
    assert.equal(await readFile(file, 'utf8'), longer)
  }).skip(reason !== null, reason ?? '')

  test('rejects a copy midway and deletes it, and accepts it when there is room', async ({
    assert,
  }) => {
    await mkdir(join(machine.root, 'site'))
    await writeFile(join(machine.root, 'site/small.txt'), 'small')
    await writeFile(join(machine.root, 'site/large.bin'), randomBytes(2 * BYTES_PER_MIB))
    await mkdir(join(machine.root, 'to'))
    await writeFile(join(machine.root, 'first.txt'), 'first')
    const copy = () => visitor.post(at('/copy'), { paths: ['first.txt', 'site'], folder: 'to' })
    await fill(BYTES_PER_MIB)
    const { status, json } = await copy()
    assert.equal(status, 507)
    assert.match(json.message ?? '', DISK_FULL_PATTERN)
    assert.deepEqual((await readdir(machine.root)).sort(), ['ballast', 'first.txt', 'site', 'to'])
    assert.deepEqual(await readdir(join(machine.root, 'to')), [])
    await makeRoom()
    assert.equal((await copy()).status, 200)
    assert.deepEqual((await readdir(join(machine.root, 'to'))).sort(), ['first.txt', 'site'])
    assert.deepEqual((await readdir(join(machine.root, 'to/site'))).sort(), [
      'large.bin',
      'small.txt',
    ])
  }).skip(reason !== null, reason ?? '')

  test('stops an unzip and deletes its files, and accepts it when there is room', async ({
    assert,
  }) => {
    const large = [
      { name: 'large.bin', content: Buffer.alloc(3 * BYTES_PER_MIB, 'x') },
      // For an archive with such a name, Berth writes a changed copy. The copy does not fit on the
      // disk.
      { name: Buffer.from('gro\xe1.bin', 'latin1'), content: randomBytes(2 * BYTES_PER_MIB) },
    ]
    for (const entry of large) {
      const entries = [{ name: 'small.txt', content: 'small' }, entry]
      await writeFile(join(machine.root, 'pack.zip'), zipOf(entries))
      await fill(BYTES_PER_MIB)
      const stopped = await unzip()
      assert.equal(stopped.status, 'failed')
      assert.match(stopped.error ?? '', DISK_FULL_PATTERN)
      assert.deepEqual((await readdir(machine.root)).sort(), ['ballast', 'pack.zip'])
      await makeRoom()
      const done = await unzip()
      assert.equal(done.status, 'done', done.error ?? '')
      const name = entry === large[0] ? 'large.bin' : 'groß.bin'
      assert.isTrue(entry.content.equals(await readFile(join(machine.root, name))))
      for (const each of await readdir(machine.root)) await rm(join(machine.root, each))
    }
  }).skip(reason !== null, reason ?? '')
})
