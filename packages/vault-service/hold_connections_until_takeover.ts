import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

const MAX_CONNECTIONS = 1_000

/**
 * Accepts up to `MAX_CONNECTIONS` connections while the previous process still uses this port, so that they are not
 * refused. `close` returns these connections, which are still waiting for a response. Does nothing for port 0, which
 * two processes cannot share.
 */
export async function holdConnectionsUntilTakeover({
  host,
  port,
}: {
  host: string
  port: number
}): Promise<{ close(): Promise<Socket[]> }> {
  const waiting = new Set<Socket>()
  if (port === 0) return { close: async () => [] }
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket))
    socket.on('error', () => {})
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen({ host, port, reusePort: true })
  await once(server, 'listening')
  return {
    async close() {
      // Lets the event loop accept the connections that still wait in the kernel's queue.
      await new Promise((done) => setImmediate(done))
      server.close()
      return [...waiting]
    },
  }
}
