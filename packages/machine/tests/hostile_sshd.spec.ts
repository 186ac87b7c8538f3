import { test } from '@japa/runner'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ssh2 from 'ssh2'
import { connectSsh, generateKeyPair, MachineError, type Machine } from '../main.js'

/**
 * Starts an SSH server that accepts only `sessions` sessions. Their commands print a process ID and never end. The
 * server never responds to requests for further sessions.
 */
async function serve(sessions: number): Promise<{ machine: Machine; stop(): void }> {
  const [host, user] = [generateKeyPair('host'), generateKeyPair('user')]
  const clients = new Set<ssh2.Connection>()
  const server = new ssh2.Server({ hostKeys: [host.privateKey] }, (client) => {
    let opened = 0
    clients.add(client)
    client.on('error', () => {})
    client.on('authentication', (attempt) => attempt.accept())
    client.on('session', (accept) => {
      if (++opened > sessions) return
      accept().on('exec', (acceptExec, _reject, { command }) => {
        const channel = acceptExec()
        channel.stderr.write(`${/berth-[0-9a-f]{18}/.exec(command)?.[0]} 1\n`)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const machine = await connectSsh({
    host: '127.0.0.1',
    port,
    username: 'root',
    privateKey: user.privateKey,
    hostKey: host.publicKey,
    sessionTimeout: 500,
  })
  const stop = () => {
    for (const client of clients) client.end()
    server.close()
  }
  return { machine, stop }
}

async function kindOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof MachineError ? error.kind : String(error))
  )
}

test.group('Hostile SSH servers', () => {
  test('a command times out even if the server opens no session in which it could be killed', async ({
    assert,
    cleanup,
  }) => {
    const { machine, stop } = await serve(1)
    cleanup(stop)
    assert.equal(await kindOf(machine.exec(['true'], { timeout: 300 })), 'timeout')
  })

  test('connecting fails if the server never opens a session', async ({ assert, cleanup }) => {
    const { machine, stop } = await serve(0)
    cleanup(stop)
    assert.equal(await kindOf(machine.exec(['true'])), 'timeout')
    assert.equal(await kindOf(machine.exec(['true'])), 'timeout')
  })
})
