import type { WebSocket } from 'ws'
import type { ServerMessage } from './protocol.js'

/** Time for the browser to answer our close frame. */
const CLOSE_TIMEOUT_MS = 2_000

/**
 * Receives the events of a browser's connection. When a session is resumed, its terminal becomes the connection's
 * listener.
 */
export interface ConnectionListener {
  receive(bytes: Buffer, binary: boolean): void
  roundTrip(ms: number): void
  /** Called once when the browser has disconnected or no longer responds, but not after `end`. */
  lost(reason: string): void
}

export class GatewayConnection {
  listener: ConnectionListener | null = null
  readonly gone: Promise<void>
  readonly #pings: NodeJS.Timeout
  #alive = true
  #pingedAt = 0

  readonly #socket: WebSocket

  /** @param pingInterval milliseconds. A browser that misses one interval is disconnected */
  constructor(socket: WebSocket, pingInterval: number) {
    this.#socket = socket

    this.gone = new Promise((resolve) => socket.once('close', () => resolve()))
    this.#pings = setInterval(() => this.#checkAlive(), pingInterval)
    socket.on('message', (data: Buffer, binary: boolean) => {
      this.#alive = true
      this.listener?.receive(data, binary)
    })
    socket.on('pong', () => {
      this.#alive = true
      this.listener?.roundTrip(performance.now() - this.#pingedAt)
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#lose('The browser closed the connection'))
  }

  sendMessage(message: ServerMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  send(bytes: Buffer): void {
    this.#socket.send(bytes, { binary: true })
  }

  ping(): void {
    this.#pingedAt = performance.now()
    this.#socket.ping()
  }

  /** Stops reading from the browser if `wait` is true, and starts again if it is false. */
  hold(wait: boolean): void {
    if (wait && !this.#socket.isPaused) this.#socket.pause()
    else if (!wait && this.#socket.isPaused) this.#socket.resume()
  }

  /** Sends the reason to the browser and closes the connection. If `code` is null, closes without a message. */
  end(reason: string, code: number | null): void {
    this.listener = null
    clearInterval(this.#pings)
    if (code === null) return this.#socket.terminate()
    this.sendMessage({ type: 'closed', reason })
    this.#socket.close(code)
    if (this.#socket.isPaused) this.#socket.resume()
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS)
    this.#socket.once('close', () => clearTimeout(timer))
  }

  #lose(reason: string): void {
    clearInterval(this.#pings)
    const { listener } = this
    this.listener = null
    listener?.lost(reason)
  }

  #checkAlive(): void {
    // A browser's pong cannot arrive while this process does not read from the connection, so a missing pong means
    // nothing.
    if (this.#socket.isPaused) return
    if (!this.#alive) {
      this.#lose('The browser does not respond')
      return this.#socket.terminate()
    }
    this.#alive = false
    this.ping()
  }
}
