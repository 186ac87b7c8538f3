import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from '@japa/runner'
import { FileError, MachineError } from '../main.js'
import { SftpClient } from '../sftp/client.js'
import { SftpFiles } from '../sftp/files.js'
import { packet } from '../sftp/wire.js'

/** Cuts a byte stream into SFTP packets and lets `rewrite` decide what goes on. */
function packets(rewrite: (packet: Buffer, push: (packet: Buffer) => void) => void): Transform {
  let rest = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
        const length = 4 + rest.readUInt32BE(0)
        rewrite(Buffer.from(rest.subarray(0, length)), (bytes) => this.push(bytes))
        rest = rest.subarray(length)
      }
      done()
    },
  })
}

/** OpenSSH's own server, made difficult: reads at most `most` bytes, answers in pairs turned round. */
function difficultServer(most: number) {
  const child = spawn('/usr/lib/openssh/sftp-server', [], { stdio: ['pipe', 'pipe', 'ignore'] })
  const toServer = packets((bytes, push) => {
    if (bytes[4] === packet.read) {
      const length = bytes.length - 4
      bytes.writeUInt32BE(Math.min(most, bytes.readUInt32BE(length)), length)
    }
    push(bytes)
  })
  let held: Buffer | null = null
  const fromServer = packets((bytes, push) => {
    if (held) {
      push(bytes)
      push(held)
      held = null
    } else if (bytes[4] === packet.data) {
      held = bytes
      // Alone it must not wait for ever.
      setImmediate(() => {
        if (held === bytes) {
          held = null
          push(bytes)
        }
      })
    } else {
      push(bytes)
    }
  })
  // Killed in one of the tests.
  child.stdin.on('error', () => {})
  toServer.pipe(child.stdin)
  child.stdout.pipe(fromServer)
  return { stream: Duplex.from({ writable: toServer, readable: fromServer }), child }
}

test.group('SFTP client', (group) => {
  let folder: string

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-sftp-'))
    return () => rm(folder, { recursive: true, force: true })
  })

  async function filesOf(stream: Duplex) {
    const client = await SftpClient.open(stream)
    const exec = () => Promise.reject(new Error('not needed here'))
    return { client, files: new SftpFiles({ sftp: async () => client, exec }) }
  }

  test('short and out-of-order answers give the same bytes', async ({ assert, cleanup }) => {
    const bytes = randomBytes(2_000_003)
    await writeFile(join(folder, 'in'), bytes)
    for (const most of [20_000, 7_001]) {
      const { stream, child } = difficultServer(most)
      cleanup(() => {
        child.kill('SIGKILL')
      })
      const { files, client } = await filesOf(stream)
      const hash = createHash('sha256')
      await pipeline(files.readStream(join(folder, 'in')), hash)
      assert.equal(hash.digest('hex'), createHash('sha256').update(bytes).digest('hex'))
      await files.writeFile(join(folder, 'out'), bytes)
      assert.isTrue((await readFile(join(folder, 'out'))).equals(bytes))
      client.close()
    }
  })

  test('a server without the extensions can still replace a file', async ({ assert, cleanup }) => {
    const { stream, child } = difficultServer(30_000)
    cleanup(() => {
      child.kill('SIGKILL')
    })
    const { files, client } = await filesOf(stream)
    client.extensions.clear()
    await files.writeFile(join(folder, 'file'), 'old')
    await files.writeFile(join(folder, 'file'), 'new')
    assert.equal(await readFile(join(folder, 'file'), 'utf8'), 'new')
    client.close()
  })

  test('a server that writes nonsense, or goes, ends every call', async ({ assert, cleanup }) => {
    const nonsense = new Duplex({
      read() {},
      write(_chunk, _encoding, done) {
        this.push('Welcome to this machine!\n')
        done()
      },
    })
    await assert.rejects(() => SftpClient.open(nonsense), MachineError)

    const { stream, child } = difficultServer(30_000)
    cleanup(() => {
      child.kill('SIGKILL')
    })
    const { files } = await filesOf(stream)
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536))
      },
    })
    await assert.rejects(() => files.writeFile(join(folder, 'none/x'), 'x'), FileError)
    const writing = assert.rejects(
      () => pipeline(endless, files.writeStream('/dev/null', { flush: false })),
      MachineError
    )
    child.kill('SIGKILL')
    await writing
    await assert.rejects(() => files.stat('/'), MachineError)
  })
})
