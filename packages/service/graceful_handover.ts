import { once } from 'node:events'
import { chmod, rename, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { Server as Listener, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Signal that makes a process finish its work and exit, because its replacement already accepts connections. SIGTERM
 * makes it stop without a replacement (decision 0050).
 */
export const DRAIN_SIGNAL = 'SIGUSR2'
/** Exit code of a process that ended because of DRAIN_SIGNAL. The supervisor does not restart it. */
export const DRAINED_EXIT_CODE = 86

export interface RunningService {
  stop(): Promise<void>
  /** Accepts no new work, finishes running work, then stops. */
  leave(): Promise<void>
}

/** Calls `leave` when the process receives its first `DRAIN_SIGNAL`, and ignores further ones. */
export function onDrainRequest(leave: () => void): void {
  let isRequested = false
  process.on(DRAIN_SIGNAL, () => {
    if (!isRequested) leave()
    isRequested = true
  })
}

export interface GracefulCloseOptions {
  timeoutMs: number
  /** Time in milliseconds from the start of closing until idle connections are closed. Default 3,000. */
  quiet?: number
  /** Called about every 200 ms while the server closes. It can end connections that would otherwise stay open. */
  each?: () => void
}

/** Long enough that requests which are in transit when the server starts to close still get a response. */
const QUIET_CONNECTION_MS = 3_000

/**
 * Returns a function that closes a server gracefully while another process listens on the same port. The server accepts
 * no more connections and finishes open requests. Later requests on open connections get `Connection: close`. After
 * `timeoutMs`, all remaining connections are closed.
 */
export function createGracefulClose(server: Server): (how: GracefulCloseOptions) => Promise<void> {
  const sockets = new Set<Socket>()
  let leaving = false
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.prependListener('request', (_request, response) => {
    if (leaving) response.setHeader('connection', 'close')
  })
  return async ({ timeoutMs, quiet = QUIET_CONNECTION_MS, each = () => {} }) => {
    leaving = true
    const closed = new Promise<true>((done) => stopListening(server, () => done(true)))
    const began = Date.now()
    for (let over = false; !over;) {
      each()
      over = await Promise.race([closed, sleep(200, false)])
      const passed = Date.now() - began
      if (passed > quiet) {
        server.closeIdleConnections()
        // Browsers open connections in advance. Closes those that have not carried a request yet.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }
      if (passed > timeoutMs) for (const socket of sockets) socket.destroy()
    }
  }
}

/**
 * Stops listening. An HTTP server's own `close` would immediately cut idle connections, and requests in transit with
 * them. Connections that already wait in the kernel are accepted first. The kernel gives later ones to the other
 * process (`net.ipv4.tcp_migrate_req`).
 */
function stopListening(server: Server, done: () => void): void {
  setImmediate(() => Listener.prototype.close.call(server, done))
}

/**
 * Listens on a Unix socket, and atomically replaces the process that listened there before. During the change, every
 * client reaches one of the two processes.
 * @param mode permissions of the socket file
 */
export async function takeOverUnixSocket(
  server: Listener,
  path: string,
  mode?: number
): Promise<void> {
  const own = `${path}.${process.pid}`
  await rm(own, { force: true })
  server.listen(own)
  await once(server, 'listening')
  if (mode !== undefined) await chmod(own, mode)
  await rename(own, path)
}
