import type { HttpContext } from '@adonisjs/core/http'

export interface EventStream {
  send(data: unknown): void
  end(): void
  onClose(callback: () => void): void
}

const open = new Set<EventStream>()

/** Answers with server-sent events; a comment each 20 s keeps proxies from closing it. */
export function eventStream({ response }: Pick<HttpContext, 'response'>): EventStream {
  const socket = response.response
  response.relayHeaders()
  socket.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  socket.write(':\n\n')
  const beat = setInterval(() => socket.write(':\n\n'), 20_000)
  const callbacks: (() => void)[] = []
  const stream: EventStream = {
    send: (data) => void socket.write(`data: ${JSON.stringify(data)}\n\n`),
    end: () => void socket.end(),
    onClose: (callback) => void callbacks.push(callback),
  }
  open.add(stream)
  socket.on('close', () => {
    clearInterval(beat)
    open.delete(stream)
    for (const callback of callbacks) callback()
  })
  return stream
}

/** Ends all streams, so that a stopping server need not wait for them; browsers come back. */
export function endStreams(): void {
  for (const stream of open) stream.end()
}
