import type WebSocket from 'ws'
import { IncusError } from './errors.ts'
import type { Transport } from './transport.ts'

export type EventType = 'lifecycle' | 'operation' | 'logging'

export interface IncusEvent {
  type: EventType
  timestamp: string
  location?: string
  project?: string
  /** Lifecycle events: `{action, source, context}`. Operation events: an `OperationState`. */
  metadata: Record<string, unknown>
}

/**
 * Streams events that the server emits from now on. If the connection breaks, the iteration throws an `unreachable`
 * error. Events may have been lost then, so load the current state and open a new stream.
 */
export class EventStream implements AsyncIterable<IncusEvent> {
  readonly #websocket: WebSocket
  readonly #waiting: IncusEvent[] = []
  #wake: () => void = () => {}
  #failure: IncusError | null = null
  #closed = false

  private constructor(websocket: WebSocket, where: string) {
    this.#websocket = websocket
    websocket.on('message', (data: Buffer) => {
      this.#waiting.push(JSON.parse(data.toString()) as IncusEvent)
      this.#wake()
    })
    const end = (cause: unknown) => {
      if (!this.#closed) this.#failure ??= IncusError.unreachable(where, cause)
      this.#closed = true
      this.#wake()
    }
    websocket.on('error', end)
    websocket.on('close', () => end('the event stream ended'))
  }

  static async open(transport: Transport, types: EventType[]): Promise<EventStream> {
    const query = { type: types.join(',') }
    let stream: EventStream | undefined
    await transport.websocket('/1.0/events', query, (websocket) => {
      stream = new EventStream(websocket, transport.where)
    })
    return stream!
  }

  close(): void {
    this.#closed = true
    this.#websocket.terminate()
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<IncusEvent> {
    try {
      for (;;) {
        while (this.#waiting.length > 0) yield this.#waiting.shift()!
        if (this.#failure) throw this.#failure
        if (this.#closed) return
        await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.close()
    }
  }
}
