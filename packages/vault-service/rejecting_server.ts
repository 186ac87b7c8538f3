import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { isLoopback } from '#packages/service/ip_network'

const NOT_SERVING_CODE = 'not_serving'
const NOT_SERVING_MESSAGE =
  'Vaults are not available at the moment. Try again later. If you run this server: the reason is in the log of the vault service.'

/** A server that responds to requests of clients with an error, so that they need not wait for a timeout. */
export interface RejectingServer {
  port: number
  stop(): Promise<void>
}

/**
 * Starts a server that responds with 503 on the service's port. `/health` returns `reason` as the status, but only to
 * this machine, where `berth status` shows it. `/health/live` responds with 200.
 * @param waiting connections that were already accepted
 */
export async function startRejectingServer(
  { host, port }: { host: string; port: number },
  reason: string,
  waiting: Socket[] = []
): Promise<RejectingServer> {
  const server = createServer({ keepAliveTimeout: 1_000 }, (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0]
    const isLive = path === '/health/live'
    response.writeHead(isLive ? 200 : 503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      connection: 'close',
    })
    // Only this machine may read the reason, because it contains paths of local files.
    const status = isLoopback(request.socket.remoteAddress ?? '') ? reason : NOT_SERVING_MESSAGE
    const health = { status: isLive ? 'ok' : status, role: 'vault' }
    const rejection = { success: false, code: NOT_SERVING_CODE, message: NOT_SERVING_MESSAGE }
    response.end(JSON.stringify(path.startsWith('/health') ? health : rejection))
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
