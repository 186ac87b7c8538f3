import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

const MAX_CONNECTIONS = 1_000

/**
 * Accepts connections until the previous process has left this port, so that no connection is refused. `close`
 * returns the waiting connections. Port 0 cannot be shared, so nothing is held.
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
      // Accepts the connections that the kernel has queued.
      await new Promise((done) => setImmediate(done))
      server.close()
      return [...waiting]
    },
  }
}
