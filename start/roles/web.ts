import { closeEventStreams } from '#core/live/event_stream'
import {
  createGracefulClose,
  DRAINED_EXIT_CODE,
  onDrainRequest,
} from '#packages/service/graceful_handover'
import app from '@adonisjs/core/services/app'
import { createServer, type RequestListener, Server } from 'node:http'

/** Milliseconds that uploads and downloads may take to their end once another process serves pages. */
const LEAVE_TIMEOUT_MS = 600_000
/** Milliseconds: longer than browsers and proxies use a connection again, so that nobody writes to one that we close. */
const KEEP_ALIVE_MS = 65_000

/** Listens beside others, so that one can take the place of another. */
class SharedPortServer extends Server {
  override listen(...[port, host]: unknown[]): this {
    return super.listen({ port: port as number, host: host as string, reusePort: true })
  }
}

/** The server of pages, for the framework to start. */
export function serverOfPages(handle: RequestListener): Server {
  const server = process.env.DEV_MODE ? createServer(handle) : new SharedPortServer(handle)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  const leave = createGracefulClose(server)
  onDrainRequest(() => {
    process.exitCode = DRAINED_EXIT_CODE
    // Browsers come back by themselves, to the other process.
    void leave({ timeoutMs: LEAVE_TIMEOUT_MS, each: closeEventStreams }).finally(() =>
      app.terminate()
    )
  })
  // Before the server waits for the end of its connections; streams that come meanwhile are ended as well.
  void app.ready(() => void app.terminating(() => closeEventStreams()))
  return server
}
