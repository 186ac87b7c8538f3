import { once } from 'node:events'
import WebSocket from 'ws'
import { ACK_INTERVAL_BYTES, type ClientMessage, type ServerMessage } from '../protocol.js'

export class TestClient {
  text = ''
  bytes = 0
  /** Largest received frame of output, in bytes. */
  largest = 0
  messages: ServerMessage[] = []
  closeCode: number | null = null
  /** Whether the client acknowledges output. `null`: it does not, like a browser that hangs. */
  acknowledging: 'at once' | null = 'at once'
  /** Maximum length of `text`. Older characters are dropped. */
  keep = Infinity
  #owed = 0

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer, binary: boolean) => {
      if (!binary) {
        this.messages.push(JSON.parse(data.toString()))
        return
      }
      this.bytes += data.length
      this.largest = Math.max(this.largest, data.length)
      this.text += data.toString()
      if (this.text.length > this.keep) this.text = this.text.slice(-this.keep)
      this.#owed += data.length
      if (this.acknowledging) this.acknowledge()
    })
    socket.on('close', (code) => (this.closeCode = code))
    socket.on('error', () => {})
  }

  static async connect(port: number, headers: Record<string, string> = {}): Promise<TestClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, {
      headers: { origin: 'https://berth.test', cookie: 'person=ann; session=one', ...headers },
    })
    const client = new TestClient(socket)
    await once(socket, 'open')
    return client
  }

  static async refusal(port: number, headers: Record<string, string>): Promise<number> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers })
    socket.on('error', () => {})
    const [, response] = await once(socket, 'unexpected-response')
    response.resume()
    socket.terminate()
    return response.statusCode
  }

  send(message: ClientMessage | Record<string, unknown>): void {
    this.socket.send(JSON.stringify(message))
  }

  signIn(grant: string, size = { cols: 80, rows: 24 }): void {
    this.send({
      type: 'credentials',
      instance_type: 'regular',
      host: 'evil.example',
      port: 1,
      user: 'nobody',
      commands: ['touch /tmp/evil'],
      privateKey: grant,
      ...size,
    })
  }

  resume(token: string, size = { cols: 80, rows: 24 }): void {
    this.send({ type: 'resume', token, ...size })
  }

  type(data: string): void {
    this.send({ type: 'message', data })
  }

  acknowledge(): void {
    if (this.#owed === 0) return
    for (; this.#owed > 0; this.#owed -= Math.min(this.#owed, ACK_INTERVAL_BYTES)) {
      this.send({ type: 'ack', bytes: Math.min(this.#owed, ACK_INTERVAL_BYTES) })
    }
  }

  get ready(): boolean {
    return this.messages.some(({ type }) => type === 'ready')
  }

  /** @throws Error if the terminal is not ready */
  get token(): string {
    const ready = this.messages.find((message) => message.type === 'ready')
    if (!ready) throw new Error(`not ready: ${this.closedReason}`)
    return ready.token
  }

  get closedReason(): string | undefined {
    return this.messages.find((message) => message.type === 'closed')?.reason
  }
}
