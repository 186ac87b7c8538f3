import type { HttpContext } from '@adonisjs/core/http'

export interface EventStream {
  /**
   * Settles when the reader takes more; never rejects. A source that waits for it is held back by
   * a slow reader. One that cannot wait may have `MAX_BUFFERED_BYTES` bytes on their way. A browser that was cut
   * off says the last `id` when it comes back.
   */
  send(data: unknown, id?: string): Promise<void>
  end(): void
  onClose(callback: () => void): void
}

/** What may wait for a reader, in bytes, before the next message ends the stream instead. */
const MAX_BUFFERED_BYTES = 1024 * 1024
/** How long a reader may take nothing of what waits, in milliseconds. */
const WRITE_TIMEOUT_MS = 60_000

const openStreams = new Set<EventStream>()

/**
 * Answers with server-sent events; a comment each 20 s keeps proxies from closing it. Whoever does
 * not read is sent away; browsers come back by themselves.
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
  /** Set while the reader is behind. */
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
  // Node looks at whether the connection takes anything, not only at whether we write.
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

/** Ends all streams, so that a stopping server need not wait for them; browsers come back. */
export function closeEventStreams(): void {
  for (const stream of openStreams) stream.end()
}
