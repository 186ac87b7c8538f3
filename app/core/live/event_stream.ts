import type { HttpContext } from '@adonisjs/core/http'

export interface EventStream {
  /**
   * The promise resolves when the reader can take more, and never rejects. A caller that does not await it may leave
   * up to `MAX_BUFFERED_BYTES` unsent. After a reconnection, the browser sends the last `id`.
   */
  send(data: unknown, id?: string): Promise<void>
  end(): void
  onClose(callback: () => void): void
}

/** Maximum unsent bytes. If more are unsent, the next message ends the stream. */
const MAX_BUFFERED_BYTES = 1024 * 1024
/** A reader that takes no bytes for this time is disconnected. */
const WRITE_TIMEOUT_MS = 60_000

const openStreams = new Set<EventStream>()

/**
 * Opens a stream of server-sent events. A comment every 20 s keeps proxies from closing it. A reader that
 * stops reading is disconnected, and its browser reconnects.
 */
export function openEventStream(
  { response }: Pick<HttpContext, 'response'>,
  { patience = WRITE_TIMEOUT_MS } = {}
): EventStream {
  const socket = response.response
  response.relayHeaders()
  socket.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  socket.on('error', () => {})
  const callbacks: (() => void)[] = []
  /** Set while the reader takes events more slowly than they are sent. Resolves when it has caught up. */
  let drained: Promise<void> | undefined
  const write = (text: string): Promise<void> | undefined => {
    if (socket.writableEnded || socket.destroyed) return
    if (socket.writableLength > MAX_BUFFERED_BYTES) return void socket.destroy()
    if (socket.write(text)) return
    drained ??= new Promise((resolve) => {
      const caughtUp = () => {
        drained = undefined
        socket.off('drain', caughtUp).off('close', caughtUp)
        resolve()
      }
      socket.once('drain', caughtUp)
      socket.once('close', caughtUp)
    })
    return drained
  }
  // The timer runs while no bytes are written. Node restarts it each time the socket accepts data.
  socket.setTimeout(patience, () => {
    if (socket.writableLength > 0) socket.destroy()
  })
  void write(':\n\n')
  const beat = setInterval(() => void write(':\n\n'), Math.min(20_000, patience / 2))
  const stream: EventStream = {
    send: async (data, id) => write(`${id ? `id: ${id}\n` : ''}data: ${JSON.stringify(data)}\n\n`),
    end: () => void socket.end(),
    onClose(callback) {
      if (socket.destroyed) callback()
      else callbacks.push(callback)
    },
  }
  openStreams.add(stream)
  socket.once('close', () => {
    clearInterval(beat)
    openStreams.delete(stream)
    for (const callback of callbacks) callback()
  })
  return stream
}

/** Ends all streams, so that the server can stop. */
export function closeEventStreams(): void {
  for (const stream of openStreams) stream.end()
}
