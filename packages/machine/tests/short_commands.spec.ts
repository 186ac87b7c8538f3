import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import ssh2 from 'ssh2'
import { test } from '@japa/runner'
import { connectSsh, generateKeyPair } from '../main.js'

/** Starts an SSH server that sends a command's output, exit status and end of channel at the same moment. */
async function startHastyServer(hostKey: string) {
  const ssh = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on('authentication', (asked) => asked.accept())
    client.on('error', () => {})
    client.on('ready', () => {
      client.on('session', (accept) => {
        accept().on('exec', (acceptCommand) => {
          const command = acceptCommand()
          command.write('done')
          command.exit(7)
          command.end()
        })
      })
    })
  })
  // Nagle's algorithm would delay all packets except the first.
  const server = createServer({ noDelay: true }, (socket) => ssh.injectSocket(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

test('a command that ends immediately returns its exit code', async ({ assert, cleanup }) => {
  const own = generateKeyPair()
  const server = await startHastyServer(own.privateKey)
  const machine = await connectSsh({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    username: 'berth',
    privateKey: generateKeyPair().privateKey,
    hostKey: own.publicKey.split(' ').slice(0, 2).join(' '),
  })
  cleanup(async () => {
    await machine.close()
    server.close()
  })
  for (let round = 0; round < 20; round++) {
    const { code, stdout } = await machine.exec(['true'])
    assert.deepEqual([code, stdout.toString()], [7, 'done'])
  }
})
