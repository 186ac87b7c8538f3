import { connectViaRelay } from '#databases/servers/relay'
import { type Machine, MachineError, type RemoteProcess } from '#packages/machine/main'
import { test } from '@japa/runner'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'

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

test.group('A connection to what listens on a machine', () => {
  test('that is lost while nobody uses it ends nothing else', async ({ assert }) => {
    const { machine, lose } = losable()
    const stream = await connectViaRelay(machine, ['/run/mysqld/mysqld.sock'])
    const closed = new Promise((resolve) => stream.once('close', resolve))
    lose()
    await closed
    assert.match(stream.errored?.message ?? '', /was lost/)
  })

  test('that is lost is told whoever uses it', async ({ assert }) => {
    const { machine, lose } = losable()
    const stream = await connectViaRelay(machine, ['127.0.0.1', '27017'])
    const told = once(stream, 'error')
    lose()
    const [error] = (await told) as [Error]
    assert.match(error.message, /was lost/)
  })
})
