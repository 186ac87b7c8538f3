import { closeEventStreams } from '#core/live/event_stream'
import {
  createGracefulClose,
  DRAINED_EXIT_CODE,
  onDrainRequest,
} from '#packages/service/graceful_handover'
import { trackOpenRequest } from '#packages/telemetry/metrics'
import app from '@adonisjs/core/services/app'
import { createServer, type RequestListener, Server } from 'node:http'

/** Time for running uploads and downloads after another process took over. */
const LEAVE_TIMEOUT_MS = 600_000
/** Longer than browsers and proxies reuse a connection, so that they do not use one that we close. */
const KEEP_ALIVE_MS = 65_000
/**
 * Time limit of a whole request, enough for 500 MB at 1.2 Mbit/s. Node's default of 5 minutes would cut uploads
 * on slow lines. Stalled uploads end earlier (`app/core/upload.ts`).
 */
const REQUEST_TIMEOUT_MS = 3_600_000

/** Shares the port, so that one process can replace another without an interruption. */
class SharedPortServer extends Server {
  override listen(...[port, host]: unknown[]): this {
    return super.listen({ port: port as number, host: host as string, reusePort: true })
  }
}

/** Returns the HTTP server, which the framework starts. */
export function serverOfPages(handle: RequestListener): Server {
  const server = process.env.DEV_MODE ? createServer(handle) : new SharedPortServer(handle)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  // For `./berth upgrade`, which prints the requests that this process still answers.
  server.on('request', ({ method, url }, response) => {
    response.once('close', trackOpenRequest(method!, url!))
  })
  const leave = createGracefulClose(server)
  onDrainRequest(() => {
    process.exitCode = DRAINED_EXIT_CODE
    // Browsers reconnect automatically, to the other process.
    void leave({ timeoutMs: LEAVE_TIMEOUT_MS, each: closeEventStreams }).finally(() =>
      app.terminate()
    )
  })
  // Before the server waits for its connections. Includes streams that open meanwhile.
  void app.ready(() => void app.terminating(() => closeEventStreams()))
  return server
}
