import type { WebSocket } from 'ws'
import type { ServerMessage } from './protocol.js'

/** How long a browser may take to answer our close, in ms. */
const CLOSE_TIMEOUT_MS = 2_000

/** Whose line it is: a terminal, and another one when it is taken up again. */
export interface ConnectionListener {
  receive(bytes: Buffer, binary: boolean): void
  /** The time that a ping took there and back, in ms. */
  roundTrip(ms: number): void
  /** The browser closed the connection, or answers no more. Called once, and not after `end`. */
  lost(reason: string): void
}

/** One browser's WebSocket, from the upgrade to its close. */
export class GatewayConnection {
  listener: ConnectionListener | null = null
  /** Settles when the socket is closed. */
  readonly gone: Promise<void>
  readonly #pings: NodeJS.Timeout
  #alive = true
  #pingedAt = 0

  readonly #socket: WebSocket

  /** Pings every `pingInterval` ms; a browser that misses one whole turn is gone. */
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

  /** While held back, nothing that the browser sends is read. */
  hold(wait: boolean): void {
    if (wait && !this.#socket.isPaused) this.#socket.pause()
    else if (!wait && this.#socket.isPaused) this.#socket.resume()
  }

  /** Tells the browser the reason and closes, without a word where `code` is null. */
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
    // Held back by us, it cannot answer.
    if (this.#socket.isPaused) return
    if (!this.#alive) {
      this.#lose('The browser does not respond')
      return this.#socket.terminate()
    }
    this.#alive = false
    this.ping()
  }
}
