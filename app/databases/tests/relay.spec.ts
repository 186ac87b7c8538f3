import { connectViaRelay } from '#databases/servers/relay'
import {
  LocalMachine,
  type Machine,
  MachineError,
  type RemoteProcess,
} from '#packages/machine/main'
import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Duplex, PassThrough } from 'node:stream'

/** Waits until at least `size` bytes have arrived. Returns all bytes that have arrived by then. */
function take(stream: Duplex, size: number): Promise<Buffer> {
  let bytes = Buffer.alloc(0)
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.length >= size) resolve(bytes)
    })
  })
}

/** Resolves when a stream is closed, with or without an error. */
const closed = (stream: Duplex) => new Promise((resolve) => stream.once('close', resolve))

function losable() {
  const { promise: exit, reject } = Promise.withResolvers<never>()
  exit.catch(() => {})
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  }
  const running: RemoteProcess = { ...streams, exit, kill: async () => {} }
  const machine: Pick<Machine, 'spawn'> = { spawn: async () => running }
  return {
    machine: machine as Machine,
    lose: () => reject(new MachineError('unreachable', 'The connection was lost')),
  }
}

test.group('The relay to a server that listens only on its machine', () => {
  test('the relay carries all bytes both ways until one side ends: {$self}')
    .with(['unix', 'tcp'] as const)
    .run(async ({ assert, cleanup }, kind) => {
      const folder = await mkdtemp(join(tmpdir(), 'berth-relay-'))
      cleanup(() => rm(folder, { recursive: true }))
      const path = join(folder, 'server.sock')
      const server = createServer((socket) => socket.pipe(socket))
      await new Promise<void>((resolve) =>
        kind === 'unix' ? server.listen(path, resolve) : server.listen(0, '127.0.0.1', resolve)
      )
      cleanup(() => void server.close())
      const machine = new LocalMachine()
      cleanup(() => machine.close())
      const port = () => String((server.address() as AddressInfo).port)
      const target: Parameters<typeof connectViaRelay>[1] =
        kind === 'unix' ? [path] : ['127.0.0.1', port()]
      const connect = () => connectViaRelay(machine, target)

      const accepted = once(server, 'connection') as Promise<[Socket]>
      const stream = await connect()
      const sent = randomBytes(1_000_000)
      stream.write(sent)
      assert.isTrue((await take(stream, sent.length)).equals(sent))
      // First case: the server ends the connection.
      const ended = closed(stream)
      ;(await accepted)[0].end()
      await ended

      // Second case: the client ends the connection.
      const acceptedNext = once(server, 'connection') as Promise<[Socket]>
      const next = await connect()
      const [socket] = await acceptedNext
      next.end()
      await closed(socket)
      next.destroy()

      // Third case: no program listens.
      server.close()
      const none = await connect()
      await closed(none.resume())
    })

  test('a lost connection that nobody uses does not crash the process', async ({ assert }) => {
    const { machine, lose } = losable()
    const stream = await connectViaRelay(machine, ['/run/mysqld/mysqld.sock'])
    const ended = closed(stream)
    lose()
    await ended
    assert.match(stream.errored?.message ?? '', /was lost/)
  })

  test('a lost connection is reported as an error of its stream', async ({ assert }) => {
    const { machine, lose } = losable()
    const stream = await connectViaRelay(machine, ['127.0.0.1', '27017'])
    const told = once(stream, 'error')
    lose()
    const [error] = (await told) as [Error]
    assert.match(error.message, /was lost/)
  })
})
