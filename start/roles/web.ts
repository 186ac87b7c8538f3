import { closeEventStreams } from '#core/live/event_stream'
import {
  createGracefulClose,
  DRAINED_EXIT_CODE,
  onDrainRequest,
} from '#packages/service/graceful_handover'
import { trackOpenRequest } from '#packages/telemetry/metrics'
import app from '@adonisjs/core/services/app'
import { createServer, type RequestListener, Server } from 'node:http'

/** Time that running uploads and downloads have to finish after another process has taken over. */
const LEAVE_TIMEOUT_MS = 600_000
/**
 * Time for which idle connections stay open. Many proxies reuse a connection for up to 60 s, and must not send a
 * request on one that this server is closing.
 */
const KEEP_ALIVE_MS = 65_000
/**
 * Time limit for a whole request, enough for 500 MB at 1.2 Mbit/s. Node's default of 5 minutes would interrupt uploads
 * over slow connections. Stalled uploads end earlier (`app/core/upload.ts`).
 */
const REQUEST_TIMEOUT_MS = 3_600_000

/** An HTTP server whose port two processes can share, so that one can replace the other without an interruption. */
class SharedPortServer extends Server {
  override listen(...[port, host]: unknown[]): this {
    return super.listen({ port: port as number, host: host as string, reusePort: true })
  }
}

/** The framework starts the server. */
export function serverOfPages(handle: RequestListener): Server {
  const server = process.env.DEV_MODE ? createServer(handle) : new SharedPortServer(handle)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  // Records open requests. `./berth upgrade` prints the requests that this process is still handling.
  server.on('request', ({ method, url }, response) => {
    response.once('close', trackOpenRequest(method!, url!))
  })
  const leave = createGracefulClose(server)
  onDrainRequest(() => {
    process.exitCode = DRAINED_EXIT_CODE
    // Closes event streams. Browsers open them again automatically, and then connect to the other process.
    void leave({ timeoutMs: LEAVE_TIMEOUT_MS, each: closeEventStreams }).finally(() =>
      app.terminate()
    )
  })
  // Closes event streams before the server waits until its connections are closed.
  void app.ready(() => void app.terminating(() => closeEventStreams()))
  return server
}
