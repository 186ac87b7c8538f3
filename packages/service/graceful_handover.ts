import { once } from 'node:events'
import { chmod, rename, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { Server as Listener, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Asks a process to leave because another one serves beside it; SIGTERM asks it to end (decision 0050). */
export const DRAIN_SIGNAL = 'SIGUSR2'
/** The code with which it then ends: nobody starts it again. */
export const DRAINED_EXIT_CODE = 86

/** What a process of Berth does until it ends. */
export interface RunningService {
  /** Ends soon: within seconds. */
  stop(): Promise<void>
  /** Takes nothing new, ends what is under way, and stops. */
  leave(): Promise<void>
}

/** Calls back when this process is asked to leave, however often that is asked. */
export function onDrainRequest(leave: () => void): void {
  let isRequested = false
  process.on(DRAIN_SIGNAL, () => {
    if (!isRequested) leave()
    isRequested = true
  })
}

export interface GracefulCloseOptions {
  /** Milliseconds after which whatever is left is cut. */
  timeoutMs: number
  /** Milliseconds after which a connection at which nothing goes on is closed. */
  quiet?: number
  /** Called now and then meanwhile, to end what would go on for ever. */
  each?: () => void
}

/** Milliseconds after which a connection at which nothing goes on is closed: who has just written to it is answered. */
const QUIET_CONNECTION_MS = 3_000

/**
 * A server that can leave while another process listens beside it. Returns how: it takes no more connections; those that
 * are open get the answers that are due, and the last of them says that it is the last.
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
        // Browsers open some for later.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }
      if (passed > timeoutMs) for (const socket of sockets) socket.destroy()
    }
  }
}

/**
 * Not `close` of an HTTP server, which cuts idle connections at once, with what is on its way there. Those that wait to be
 * taken in are taken in first; the kernel hands others to who listens beside it (`net.ipv4.tcp_migrate_req`).
 */
function stopListening(server: Server, done: () => void): void {
  setImmediate(() => Listener.prototype.close.call(server, done))
}

/**
 * Listens at a unix socket, in the place of whoever does so: who connects finds the one or the other, never nobody.
 * @param mode of the socket's file
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
