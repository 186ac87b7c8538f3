import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** Who may wait; others find nobody. */
const MAX_CONNECTIONS = 1_000

/**
 * Takes connections in while another process still serves at this port and takes no more, so that nobody is refused
 * between the two. Closing it gives those that wait. A port that is 0 or somebody else's has none.
 */
export async function holdConnections({
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
      // Those that the kernel has for us are taken in first.
      await new Promise((done) => setImmediate(done))
      server.close()
      return [...waiting]
    },
  }
}
