import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from '@japa/runner'
import { connectSsh, FileError, type FileErrorKind, type SshMachine } from '../main.js'
import { eventually, startSshd, type TestSshd } from './sshd.js'

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function kindOf(promise: Promise<unknown>): Promise<FileErrorKind | 'no error'> {
  try {
    await promise
    return 'no error'
  } catch (error) {
    if (error instanceof FileError) return error.kind
    throw error
  }
}

test.group('Files over SFTP', (group) => {
  let sshd: TestSshd
  let machine: SshMachine
  let folder: string

  group.each.setup(async () => {
    sshd = await startSshd()
    folder = sshd.folder
    machine = await connectSsh(sshd.target)
    return async () => {
      await machine.close()
      await sshd.stop()
    }
  })

  test('20 MB go up and come down unchanged', async ({ assert }) => {
    const bytes = randomBytes(20 * 1024 * 1024 + 7)
    const path = `${folder}/big`
    await pipeline(
      Readable.from([bytes.subarray(0, 5), bytes.subarray(5)]),
      machine.files.writeStream(path, { mode: 0o640 })
    )
    assert.equal(hash(await readFile(path)), hash(bytes))
    assert.equal((await stat(path)).mode & 0o777, 0o640)
    const down = createHash('sha256')
    await pipeline(machine.files.readStream(path), down)
    assert.equal(down.digest('hex'), hash(bytes))
  })

  test('a range is read to the byte, and past the end there is nothing', async ({ assert }) => {
    const bytes = randomBytes(3 * 1024 * 1024)
    await writeFile(`${folder}/ranged`, bytes)
    for (const [start, end] of [
      [0, 0],
      [1, 131_072],
      [1_000_000, 2_500_000],
      [bytes.length - 10, bytes.length + 100],
      [bytes.length + 5, bytes.length + 9],
    ]) {
      const chunks: Buffer[] = []
      for await (const chunk of machine.files.readStream(`${folder}/ranged`, { start, end })) {
        chunks.push(chunk)
      }
      assert.isTrue(Buffer.concat(chunks).equals(bytes.subarray(start, end + 1)))
    }
  })

  test('lists names, kinds, sizes and link targets', async ({ assert }) => {
    const { files } = machine
    const odd = 'ü ৳ "quoted" \'x\' $(id)\nline'
    await files.writeFile(`${folder}/${odd}`, 'five!', { mode: 0o600 })
    await files.mkdir(`${folder}/inside/deep`, { recursive: true })
    await files.symlink('inside/deep', `${folder}/link`)
    const entries = new Map((await files.list(folder)).map((entry) => [entry.name, entry]))
    assert.sameMembers([...entries.keys()], [odd, 'inside', 'link'])
    assert.deepInclude(entries.get(odd), { kind: 'file', size: 5, mode: 0o600 })
    assert.equal(entries.get('inside')?.kind, 'directory')
    assert.deepInclude(entries.get('link'), { kind: 'symlink', target: 'inside/deep' })
    assert.equal((await files.stat(`${folder}/link`)).kind, 'directory')
    assert.equal((await files.lstat(`${folder}/link`)).kind, 'symlink')
    assert.equal(
      await files.realpath(`${folder}/link/..`),
      await files.realpath(`${folder}/inside`)
    )
  })

  test('lists a thousand names', async ({ assert }) => {
    await machine.exec(['sh', '-c', 'cd "$1" && seq 1 1000 | xargs touch', 'sh', folder])
    const names = (await machine.files.list(folder)).map(({ name }) => Number(name))
    assert.deepEqual(
      names.sort((a, b) => a - b),
      Array.from({ length: 1000 }, (_, n) => n + 1)
    )
  })

  test('says what is wrong', async ({ assert }) => {
    const { files } = machine
    assert.equal(await kindOf(files.stat(`${folder}/none`)), 'not-found')
    assert.equal(await kindOf(files.list(`${folder}/none`)), 'not-found')
    assert.equal(await kindOf(files.readFile(`${folder}/none`)), 'not-found')
    assert.equal(await kindOf(files.writeFile(`${folder}/none/x`, 'x')), 'not-found')
    assert.equal(await kindOf(files.mkdir(folder)), 'exists')
    await files.writeFile(`${folder}/file`, '0123456789')
    assert.equal(await kindOf(files.mkdir(`${folder}/file`, { recursive: true })), 'exists')
    assert.equal(await kindOf(files.readFile(`${folder}/file`, { limit: 9 })), 'too-large')
    assert.equal((await files.readFile(`${folder}/file`, { limit: 10 })).toString(), '0123456789')
    assert.equal(await kindOf(files.stat('a\0b')), 'failed')
    assert.equal(await kindOf(files.stat('')), 'failed')
  })

  test('a full disk is told', async ({ assert }) => {
    const write = pipeline(
      Readable.from([Buffer.alloc(1000)]),
      machine.files.writeStream('/dev/full')
    )
    await assert.rejects(() => write, FileError)
  })

  test('renames over, removes, removes trees without following links', async ({ assert }) => {
    const { files } = machine
    await files.writeFile(`${folder}/a`, 'new')
    await files.writeFile(`${folder}/b`, 'old')
    await files.rename(`${folder}/a`, `${folder}/b`)
    assert.equal((await files.readFile(`${folder}/b`)).toString(), 'new')
    await files.mkdir(`${folder}/tree/sub`, { recursive: true })
    await files.symlink('../..', `${folder}/tree/sub/out`)
    await files.writeFile(`${folder}/tree/-rf`, 'x')
    await assert.rejects(() => files.remove(`${folder}/tree`), FileError)
    await files.removeTree(`${folder}/tree`)
    await files.removeTree(`${folder}/tree`)
    assert.deepEqual(await readdir(folder), ['b'])
    await files.chmod(`${folder}/b`, 0o751)
    assert.equal((await stat(`${folder}/b`)).mode & 0o777, 0o751)
    await files.remove(`${folder}/b`)
    assert.deepEqual(await readdir(folder), [])
  })

  test('saving keeps the mode; an upload that is cut leaves the old file', async ({ assert }) => {
    const { files } = machine
    const path = `${folder}/precious`
    await files.writeFile(path, 'old', { mode: 0o750 })
    await files.writeFile(path, 'newer')
    assert.equal((await stat(path)).mode & 0o777, 0o750)

    let sent = 0
    const broken = new Readable({
      read() {
        if (sent++ < 20) this.push(Buffer.alloc(64 * 1024))
        else this.destroy(new Error('The browser has gone'))
      },
    })
    await assert.rejects(() => files.writeFile(path, broken), 'The browser has gone')
    assert.equal(await readFile(path, 'utf8'), 'newer')
    assert.deepEqual(await readdir(folder), ['precious'])

    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(64 * 1024))
      },
    })
    const lost = assert.rejects(() => files.writeFile(path, endless))
    await eventually('the upload is under way', async () => (await readdir(folder)).length === 2)
    await sshd.kill()
    await lost
    assert.equal(await readFile(path, 'utf8'), 'newer')
  })

  test('a reader that stops half-way leaves no file open', async ({ assert }) => {
    await writeFile(`${folder}/big`, Buffer.alloc(5_000_000))
    for (let turn = 0; turn < 30; turn++) {
      for await (const chunk of machine.files.readStream(`${folder}/big`)) {
        assert.isAbove(chunk.length, 0)
        break
      }
    }
    const script = 'ls -l /proc/[0-9]*/fd 2>/dev/null | grep -cF "$1" || true'
    await eventually('every handle is closed', async () => {
      const { stdout } = await machine.exec(['sh', '-c', script, 'sh', `${folder}/big`])
      return stdout.toString().trim() === '0'
    })
  })
})
