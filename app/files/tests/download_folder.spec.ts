import { FOLDER_ZIP_LIMITS } from '#files/errors'
import { zipFolder } from '#files/folder_zip'
import { linkLeadsOutside } from '#files/link_leads_outside'
import { WebRoot } from '#files/machine/web_root'
import { writeZip, type ZipPart } from '#files/zip_writer'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import type { AppError } from '#core/app_error'
import { SshMachine } from '#packages/machine/main'
import { eventually } from '#tests/support/eventually'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { pack, type Pack } from 'tar-stream'
import { type Entry, fromBufferPromise } from 'yauzl'

const run = promisify(execFile)
/** Size of a test file. Four such files together are twice as large as the allowed memory. */
const FILE_BYTES = 48 * 1024 ** 2

let machine: WebRootMachine
let visitor: Visitor
let id: number

function at(path: string, names: string[] = []): string {
  const query = new URLSearchParams({ path, server_instance_id: String(id) })
  for (const name of names) query.append('name', name)
  return `/file-manager/download-folder?${query}`
}

/** Resolves to the response before its body has arrived. */
function open(address: string, by = visitor): Promise<IncomingMessage> {
  const { headers } = by
  return new Promise((resolve, reject) => {
    get(by.base + address, { agent: false, headers }, resolve).on('error', reject)
  })
}

async function download(address: string, by = visitor): Promise<Map<string, Unpacked>> {
  const answer = await open(address, by)
  const body = await buffer(answer)
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${body.toString()}`)
  return unpacked(body)
}

interface Unpacked {
  content: Buffer
  mode: number
  modified: Date
}

async function unpacked(zip: Buffer): Promise<Map<string, Unpacked>> {
  const open = await fromBufferPromise(zip, { lazyEntries: true, validateEntrySizes: true })
  const all = new Map<string, Unpacked>()
  for await (const entry of open.eachEntry() as AsyncIterable<Entry>) {
    const content = await buffer(await open.openReadStreamPromise(entry))
    const mode = entry.externalFileAttributes >>> 16
    all.set(entry.fileName, { content, mode, modified: entry.getLastModDate() })
  }
  return all
}

const textsOf = (zip: Map<string, Unpacked>) =>
  Object.fromEntries([...zip].map(([name, { content }]) => [name, content.toString()]))

/** Returns the number of processes whose working directory is this folder. */
async function workingIn(folder: string): Promise<number> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const places = await Promise.all(all.map((one) => readlink(`/proc/${one}/cwd`).catch(() => '')))
  return places.filter((place) => place === folder).length
}

/**
 * Builds a tar that a malicious customer might send, and returns the entries of the resulting ZIP.
 */
async function zipped(fill: (tar: Pack) => void): Promise<Map<string, Unpacked>> {
  const tar = pack()
  fill(tar)
  tar.finalize()
  const sent = Readable.from(tar as AsyncIterable<Buffer>)
  return unpacked(
    await buffer(
      zipFolder({ tar: sent, notes: Promise.resolve('') }, null) as AsyncIterable<Buffer>
    )
  )
}

test.group('Downloads of a folder as a zip file', (group) => {
  group.setup(async () => {
    machine = await startWebRootMachine()
    const customer = await makeCustomer()
    id = (await machine.instanceOf(customer)).id
    visitor = await signIn(customer)
    return () => machine.stop()
  })

  test('the zip contains every file byte for byte, empty folders, modes and times', async ({
    assert,
  }) => {
    const folder = join(machine.root, 'my "site"')
    await mkdir(join(folder, 'empty/deep'), { recursive: true })
    await mkdir(join(folder, 'css'))
    const contents: Record<string, Buffer> = {
      'index.html': Buffer.from('<h1>Hello</h1>'),
      'css/none.css': Buffer.alloc(0),
      'css/text.css': Buffer.from('a { color: red }\n'.repeat(100_000)),
      'photo.jpg': randomBytes(3_000_001),
      'edge.bin': Buffer.alloc(256 * 1024 + 1, 'ab'),
      "it's $(odd) `name`.txt": Buffer.from('odd'),
      'ভাষা — ñandú 🚢.txt': Buffer.from('text'),
      '-rf': Buffer.from('dash'),
      '*': Buffer.from('star'),
      [`${'long/'.repeat(40)}${'n'.repeat(200)}`]: Buffer.from('deep'),
    }
    await mkdir(join(folder, 'long/'.repeat(40)), { recursive: true })
    for (const [name, content] of Object.entries(contents)) {
      await writeFile(join(folder, name), content)
    }
    await writeFile(join(folder, 'css/.berth-upload.part'), 'half')
    await chmod(join(folder, 'index.html'), 0o750)
    await utimes(join(folder, 'index.html'), 1_600_000_001, 1_600_000_001)
    const answer = await open(at('/my "site"'))
    assert.equal(answer.headers['content-type'], 'application/zip')
    assert.match(
      answer.headers['content-disposition']!,
      /^attachment; filename="my _site_\.zip"; filename\*=UTF-8''my%20%22site%22\.zip$/
    )
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.match(String(answer.headers['content-security-policy']), /sandbox/)
    assert.match(answer.headers['cache-control']!, /private/)
    const bytes = await buffer(answer)
    const zip = await unpacked(bytes)
    for (const [name, content] of Object.entries(contents)) {
      assert.isTrue(zip.get(name)?.content.equals(content), name)
    }
    assert.equal(zip.get('empty/deep/')?.mode, 0o040000 | (zip.get('css/')!.mode & 0o777))
    assert.equal(zip.get('index.html')?.mode, 0o100750)
    assert.equal(zip.get('index.html')?.modified.getTime(), 1_600_000_001_000)
    const files = [...zip.keys()].filter((name) => !name.endsWith('/'))
    assert.sameMembers(files, Object.keys(contents))
    // Text is compressed and photos are not, so the ZIP has about this size.
    assert.isBelow(bytes.length, 3_100_000)

    // The ZIP file must also be valid for another program.
    const file = join(machine.outside, 'site.zip')
    await writeFile(file, bytes)
    await run('unzip', ['-tq', file])
  })

  test('the zip escapes unsafe characters in names as in URLs', async ({ assert }) => {
    const folder = Buffer.from(join(machine.root, 'unplain/'))
    await mkdir(folder)
    const names = [
      Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x81]),
      Buffer.from('two\nlines'),
      Buffer.from('..\\..\\climbs'),
      Buffer.from('C:drive'),
      Buffer.from('100%25.txt'),
    ]
    for (const name of names) await writeFile(Buffer.concat([folder, name]), name)
    const zip = await download(at('unplain'))
    const said = ['caf%E9%81', 'two%0Alines', '..%5C..%5Cclimbs', 'C%3Adrive', '100%25.txt']
    assert.sameMembers([...zip.keys()], said)
    said.forEach((name, index) => assert.isTrue(zip.get(name)?.content.equals(names[index])))

    const wire = ['.berth-raw-636166e981', 'two\nlines']
    assert.sameMembers([...(await download(at('unplain', wire))).keys()], said.slice(0, 2))
  })

  test('the zip keeps links to its own files, and a text file lists everything that is missing', async ({
    assert,
  }) => {
    const folder = join(machine.root, 'links')
    await mkdir(join(folder, 'a/b'), { recursive: true })
    await writeFile(join(machine.outside, 'secret'), 'nobody may read this')
    await writeFile(join(folder, 'a/file'), 'in it')
    await writeFile(join(folder, 'missing files.TXT'), 'mine')
    await symlink('a/file', join(folder, 'inside'))
    await symlink('../file', join(folder, 'a/b/up'))
    await symlink('nothing', join(folder, 'broken'))
    await symlink('../../outside/secret', join(folder, 'outside'))
    await symlink(join(folder, 'a/file'), join(folder, 'absolute'))
    await symlink('a/../../../outside/secret', join(folder, 'a-way-round'))
    await run('mkfifo', [join(folder, 'pipe')])
    const server = createServer().listen(join(folder, 'socket'))
    const zip = await download(at('links'))
    server.close()
    const texts = textsOf(zip)
    const { 'MISSING FILES (2).txt': note, ...others } = texts
    assert.deepEqual(others, {
      'a/': '',
      'a/b/': '',
      'a/file': 'in it',
      'a/b/up': '../file',
      inside: 'a/file',
      broken: 'nothing',
      'missing files.TXT': 'mine',
    })
    for (const link of ['inside', 'broken', 'a/b/up']) assert.equal(zip.get(link)?.mode, 0o120777)
    for (const name of ['outside', 'absolute', 'a-way-round', 'pipe', 'socket']) {
      assert.match(note, new RegExp(`^${name}: `, 'm'))
    }
    assert.notInclude(JSON.stringify(texts), 'nobody may read')
  })

  test('a downloaded zip unpacks to the original files', async ({ assert }) => {
    const folder = join(machine.root, 'round')
    await mkdir(join(folder, 'bin/none'), { recursive: true })
    const content = randomBytes(600_000)
    await writeFile(join(folder, 'bin/ভাষা ñ.bin'), content)
    await writeFile(join(folder, 'text.css'), 'a { color: red }'.repeat(40_000))
    await chmod(join(folder, 'text.css'), 0o755)
    await symlink('bin/ভাষা ñ.bin', join(folder, 'link'))
    await writeFile(join(machine.root, 'round.zip'), await buffer(await open(at('round'))))
    const query = new URLSearchParams({ file_path: 'round.zip', destination_path: 'again' })
    query.set('server_instance_id', String(id))
    const { json } = await visitor.post(`/file-manager/unzip-file?${query}`)
    const { id: operation } = json.data?.operation as { id: string }
    await runSteps(operation)
    const { status, error } = await Operation.findOrFail(operation)
    assert.equal(status, 'done', error ?? '')
    const again = join(machine.root, 'again')
    await run('diff', ['-r', '--no-dereference', folder, again])
    assert.isTrue(content.equals(await readFile(join(again, 'link'))))
    assert.equal((await stat(join(again, 'text.css'))).mode & 0o777, 0o755)
  })

  test('the zip contains only the selected entries', async ({ assert }) => {
    const folder = join(machine.root, 'some')
    await mkdir(join(folder, 'one'), { recursive: true })
    await writeFile(join(folder, 'one/a'), 'a')
    await writeFile(join(folder, 'two'), '2')
    await writeFile(join(folder, 'three'), '3')
    await symlink('../three', join(folder, 'one/to-three'))
    await symlink('../two', join(folder, 'one/to-two'))
    const zip = textsOf(await download(at('some', ['one', 'two', 'two'])))
    assert.match(
      zip['MISSING FILES.txt'],
      /^one\/to-three: a link to \.\.\/three, which is outside this archive/m
    )
    delete zip['MISSING FILES.txt']
    assert.deepEqual(zip, { 'one/': '', 'one/a': 'a', 'one/to-two': '../two', two: '2' })
    const { headers } = await open(at('some', ['two']))
    assert.match(headers['content-disposition']!, /filename="two.zip"/)

    const statusOf = async (path: string, names: string[] = []) =>
      (await open(at(path, names))).resume().statusCode
    const many = Array.from({ length: 500 }, (_, one) => `${one}`)
    for (const name of many) await writeFile(join(folder, name), '')
    assert.lengthOf([...(await download(at('some', many))).keys()], 500)
    assert.equal(await statusOf('some', [...many, 'two']), 422)
    assert.equal(await statusOf('some', ['two', 'missing']), 404)
    for (const name of ['one/a', '..', '', '.berth-own', 'a\0']) {
      assert.equal(await statusOf('some', [name]), 422, name)
    }
    assert.equal(await statusOf('missing'), 404)
    assert.equal(await statusOf('some/two'), 409)
    assert.isAbove((await download(at('/'))).size, 500)
  })

  test('a folder with too many entries is rejected before the first byte', async ({ assert }) => {
    const folder = join(machine.root, 'three')
    await mkdir(folder)
    for (const name of ['1', '2', '.berth-own']) await writeFile(join(folder, name), '')
    const direct = new SshMachine(machine.sshd.target)
    const root = new WebRoot(direct)
    const { tar } = await root.pack('three', null, 3)
    tar.destroy()
    const refused = await root.pack('three', null, 2).catch((error: AppError) => error.status)
    assert.equal(refused, 413)
    await direct.close()
  })

  test('a disconnect ends the command, and the download is not collected in memory', async ({
    assert,
  }) => {
    const endless = join(machine.root, 'endless')
    await mkdir(endless)
    await writeFile(join(endless, 'hole'), '')
    await truncate(join(endless, 'hole'), 2 ** 40)
    const answer = await open(at('endless'))
    await new Promise((resolve) => answer.once('readable', resolve))
    assert.isAbove(await workingIn(endless), 0)
    answer.destroy()
    await eventually(async () => assert.equal(await workingIn(endless), 0))
    await rm(endless, { recursive: true })

    const folder = join(machine.root, 'large')
    await mkdir(folder)
    for (const name of ['1', '2', '3', '4'])
      await writeFile(join(folder, name), randomBytes(FILE_BYTES))
    const before = process.memoryUsage().arrayBuffers
    let [most, bytes] = [0, 0]
    for await (const chunk of (await open(at('large'))) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    assert.isAbove(bytes, 4 * FILE_BYTES)
    // The limit is generous, because client and server share this process and V8 frees buffers late.
    assert.isBelow(most, 2 * FILE_BYTES)
  })

  test('a machine that stops midway breaks the connection, so that the zip does not look complete', async ({
    assert,
  }) => {
    const answer = await open(at('large'))
    await new Promise((resolve) => answer.once('readable', resolve))
    await machine.sshd.kill()
    const read = await buffer(answer).then(
      (bytes) => bytes.length,
      (error: Error) => error.message
    )
    assert.equal(read, 'aborted')
    await machine.sshd.start()
  })

  test('downloads by staff have one audit entry for each selection of entries', async ({
    assert,
  }) => {
    const staff = await signIn(await makeStaff('support'))
    for (const names of [[], ['two'], ['two'], ['three']] as string[][]) {
      await download('/admin' + at('some', names), staff)
    }
    const rows = await db.from('audit_entries').where({ action: 'files.download_folder' })
    const seen = rows.filter(({ subject_id: subject }) => subject === String(id))
    assert.sameDeepMembers(
      seen.map(({ after }) => after as unknown),
      [{ path: 'some' }, { path: 'some', names: ['two'] }, { path: 'some', names: ['three'] }]
    )
  })

  test('no name from a machine leads out of the zip, and invalid archives from the machine are rejected', async ({
    assert,
  }) => {
    for (const name of ['../x', 'a/../../x', '/..']) {
      await assert.rejects(() => zipped((tar) => void tar.entry({ name }, 'x')), /cannot be in/)
    }
    const zip = textsOf(
      await zipped((tar) => {
        tar.entry({ name: '/etc/passwd' }, 'x')
        tar.entry({ name: 'hard', type: 'link', linkname: '/etc/passwd' })
        tar.entry({ name: 'a', type: 'symlink', linkname: '..' })
        tar.entry({ name: 'a/x' }, 'x')
      })
    )
    assert.sameMembers(Object.keys(zip), ['etc/passwd', 'a/x', 'MISSING FILES.txt'])
    await assert.rejects(() => buffer(zipFolder(notATar(), null) as AsyncIterable<Buffer>), /tar/)
    // tar-stream writes a pax header for a name that is so long.
    const pax = (tar: Pack) => void tar.entry({ name: 'a'.repeat(200) }, 'x')
    await assert.rejects(() => zipped(pax), /pax header/)
  })

  test('links that may lead out of the folder are recognized', ({ assert }) => {
    const cases: [string, string, boolean][] = [
      ['a', 'b', false],
      ['a', './b/c', false],
      ['a/b', '../c', false],
      ['a/b', '..', false],
      ['a', '.', false],
      ['a', '..', true],
      ['a/b', '../../c', true],
      ['a', '/etc', true],
      ['a', '', true],
      // `x` may be a link to the folder itself. Its parent `x/..` is then outside.
      ['a', 'x/..', true],
      ['a/b', '../x/../c', true],
      ['a', 'b\0', true],
    ]
    for (const [path, target, out] of cases) {
      assert.equal(linkLeadsOutside(path.split('/'), target), out, `${path} -> ${target}`)
    }
  })
})

function notATar() {
  return { tar: Readable.from([Buffer.alloc(1024, 'x')]), notes: Promise.resolve('') }
}

test.group('The zip writer', () => {
  async function* parts(count: number, size = 0, bytes = Buffer.alloc(0)) {
    for (let one = 0; one < count; one++) {
      const content = (async function* () {
        for (let left = size; left > 0; left -= bytes.length) yield bytes
      })()
      const part: ZipPart = {
        path: `file-${one}`,
        mode: 0o100644,
        modified: new Date(),
        size,
        content,
      }
      yield part
    }
  }
  const whole = async (of: AsyncIterable<ZipPart>, caps = FOLDER_ZIP_LIMITS) =>
    buffer(writeZip(of, caps) as AsyncIterable<Buffer>)

  test('writes more than 65,535 entries', async ({ assert }) => {
    assert.equal((await unpacked(await whole(parts(70_000)))).size, 70_000)
  })

  test('writes a file above 4 GB and the file after it', async ({ assert }) => {
    const chunk = Buffer.alloc(16 * 1024 ** 2)
    const size = 4 * 1024 ** 3 + chunk.length
    const both = async function* () {
      yield* parts(1, size, chunk)
      yield { ...(await parts(1, 4, Buffer.from('last')).next()).value!, path: 'last' }
    }
    const zip = await fromBufferPromise(await whole(both()), { lazyEntries: true })
    const seen: [string, number][] = []
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      seen.push([entry.fileName, entry.uncompressedSize])
      if (entry.fileName === 'last') {
        const content = await buffer(await zip.openReadStreamPromise(entry))
        assert.equal(content.toString(), 'last')
      }
    }
    assert.deepEqual(seen, [
      ['file-0', size],
      ['last', 4],
    ])
  }).timeout(900_000)

  test('rejects content that does not match its size, and too many entries or bytes', async ({
    assert,
  }) => {
    for (const size of [3, 5, 300_000]) {
      const one = async function* () {
        yield { ...(await parts(1, 4, Buffer.from('four')).next()).value!, size }
      }
      await assert.rejects(() => whole(one()), /differs from its announced size/)
    }
    await assert.rejects(
      () => whole(parts(3), { ...FOLDER_ZIP_LIMITS, entries: 2 }),
      /exceed the limits of a zip file/
    )
    await assert.rejects(
      () => whole(parts(3), { ...FOLDER_ZIP_LIMITS, directory: 100 }),
      /exceed the limits of a zip file/
    )
  })
})
