import { test } from '@japa/runner'
import { createServer, type AddressInfo, createConnection } from 'node:net'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFrame, readExitStatus } from '../frames.js'
import { openShellViaSocket, serveShell } from '../local/socket_shell.js'
import { SandboxMachine } from '../main.js'

const INVALID_STATUSES = ['', 'x', 'null', '7', '[]', '{}', '{"code":"1","signal":null}']
const MORE_INVALID_STATUSES = [
  '{"code":1.5,"signal":null}',
  '{"code":1,"signal":{}}',
  '{"code":1,"signal":"x\\n"}',
]

test.group('Exit status from another process', (group) => {
  let folder: string
  group.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-status-'))
    return () => rm(folder, { recursive: true })
  })

  test('a valid exit status is returned, and an invalid status is read as neither code nor signal', ({
    assert,
  }) => {
    const read = (text: string) => readExitStatus(Buffer.from(text))
    assert.deepEqual(read('{"code":7,"signal":null}'), { code: 7, signal: null })
    assert.deepEqual(read('{"code":null,"signal":"SIGKILL"}'), { code: null, signal: 'SIGKILL' })
    for (const text of [...INVALID_STATUSES, ...MORE_INVALID_STATUSES]) {
      assert.deepEqual(read(text), { code: null, signal: null }, text)
    }
  })

  test('an invalid exit status ends only the program in a sandbox, or the shell, that sent it', async ({
    assert,
  }) => {
    const door = join(folder, 'door')
    const answer = Buffer.concat([
      encodeFrame('o', Buffer.alloc(0)),
      encodeFrame('e', Buffer.from('garbage')),
    ])
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(answer))
    })
    server.listen(door)
    await once(server, 'listening')
    const connect = () => createConnection(door)
    const sandbox = new SandboxMachine({ launchSocket: door, sockets: folder, connect })
    const { code, signal } = await sandbox.exec(['true'])
    assert.deepEqual({ code, signal }, { code: null, signal: null })
    const shell = await openShellViaSocket(door, { cols: 80, rows: 24 })
    assert.deepEqual(await shell.exit, { code: null, signal: null })
    await sandbox.close()
    server.close()
  })

  test('an invalid terminal size closes the shell’s connection', async ({ assert }) => {
    const server = createServer((socket) => void serveShell(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    for (const text of ['x', 'null', '{"cols":"1","rows":1}']) {
      const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
      socket.write(encodeFrame('o', Buffer.from(text)))
      await once(socket.resume(), 'close')
      assert.isTrue(socket.destroyed)
    }
    server.close()
  })
})
