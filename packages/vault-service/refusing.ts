import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { isLoopback } from '#packages/service/network'

/** The code of an answer by a service that could not start, and its text for customers. */
const NOT_SERVING = 'not_serving'
const MESSAGE = 'Vaults cannot be served just now. Their operator can read the reason.'

/** The service that could not start: it answers every request with the reason, so that callers learn it at once. */
export interface Refusing {
  port: number
  stop(): Promise<void>
}

/**
 * Answers 503 with `reason` at the service's port. `waiting`: connections that were taken in before. `/health` has the
 * reason as its status, which `berth status` prints.
 */
export async function startRefusing(
  { host, port }: { host: string; port: number },
  reason: string,
  waiting: Socket[] = []
): Promise<Refusing> {
  const server = createServer({ keepAliveTimeout: 1_000 }, (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0]
    const isLive = path === '/health/live'
    response.writeHead(isLive ? 200 : 503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      connection: 'close',
    })
    // The reason names folders of the machine, which strangers are not told.
    const status = isLoopback(request.socket.remoteAddress ?? '') ? reason : MESSAGE
    const health = { status: isLive ? 'ok' : status, role: 'vault' }
    const refusal = { success: false, code: NOT_SERVING, message: MESSAGE }
    response.end(JSON.stringify(path.startsWith('/health') ? health : refusal))
    request.resume()
  })
  server.listen({ host, port, reusePort: true })
  await once(server, 'listening')
  for (const socket of waiting) {
    server.emit('connection', socket)
    socket.resume()
  }
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
