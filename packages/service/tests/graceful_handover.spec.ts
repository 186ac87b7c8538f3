import { test } from '@japa/runner'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGracefulClose, takeOverUnixSocket } from '../graceful_handover.js'

const words = async (response: IncomingMessage) => {
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

function ask(where: object): Promise<{ text: string; connection?: string }> {
  return new Promise((resolve, reject) => {
    get(where, async (response) => {
      resolve({ text: await words(response), connection: response.headers.connection })
    }).once('error', reject)
  })
}

test.group('Handover between two processes', () => {
  const listen = async (server: Server, port = 0) => {
    server.listen({ port, host: '127.0.0.1', reusePort: true })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  test('an exiting process finishes running requests and requests on open connections, and accepts no new connections', async ({
    assert,
    cleanup,
  }) => {
    const slow = Promise.withResolvers<void>()
    const first = createServer(async (request, response) => {
      if (request.url === '/slow') await slow.promise
      response.end('first')
    })
    const leave = createGracefulClose(first)
    const port = await listen(first)
    const second = createServer((_request, response) => response.end('second'))
    const agent = new Agent({ keepAlive: true })
    cleanup(() => {
      agent.destroy()
      second.closeAllConnections()
      second.close()
    })
    const at = { host: '127.0.0.1', port }
    assert.equal((await ask({ ...at, agent })).connection, 'keep-alive')
    const waiting = ask({ ...at, path: '/slow' })
    // A browser may open a connection in advance and not use it.
    const idle = connect(port, '127.0.0.1')
    await once(idle, 'connect')
    await ask({ ...at, agent })

    await listen(second, port)
    const left = leave({ timeoutMs: 20_000 })
    await new Promise((done) => setImmediate(() => setImmediate(done)))
    assert.deepEqual(await ask({ ...at, agent }), { text: 'first', connection: 'close' })
    for (let count = 0; count < 20; count++) {
      assert.equal((await ask({ ...at, agent: false })).text, 'second')
    }
    slow.resolve()
    assert.equal((await waiting).text, 'first')
    await left
    await once(idle, 'close')
  })

  test('connections with an unfinished request are closed after the timeout', async ({
    assert,
  }) => {
    const server = createServer(() => {})
    const leave = createGracefulClose(server)
    const port = await listen(server)
    const asked = ask({ host: '127.0.0.1', port, agent: false })
    await once(server, 'request')
    await Promise.all([leave({ timeoutMs: 300 }), assert.rejects(() => asked)])
  })

  test('a Unix socket accepts connections all the time during a handover, and stays when the first process ends', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-beside-'))
    cleanup(() => rm(folder, { recursive: true }))
    const socketPath = join(folder, 'socket')
    const serve = (text: string) => createServer((_request, response) => response.end(text))
    const [first, second] = [serve('first'), serve('second')]
    await takeOverUnixSocket(first, socketPath)
    assert.equal((await ask({ socketPath, agent: false })).text, 'first')
    // The temporary socket's name contains the process ID. Here, both servers run in one process, so they use the same
    // name. It must be free when the second server starts.
    await rm(`${socketPath}.${process.pid}`, { force: true })
    await takeOverUnixSocket(second, socketPath)
    await new Promise((done) => first.close(done))
    assert.equal((await ask({ socketPath, agent: false })).text, 'second')
    await new Promise((done) => second.close(done))
  })
})
