import type { Duplex } from 'node:stream'
import { MachineError } from '../errors.js'
import { packet, Reader, status, string, uint32 } from './wire.js'

export interface Answer {
  type: number
  body: Reader
}

/** The server answered with an error status. */
export class StatusError extends Error {
  constructor(
    public readonly code: number,
    message: string
  ) {
    super(message)
  }
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** No honest answer is longer: OpenSSH stops at 256 KiB. */
const MAX_ANSWER = 1024 * 1024

/**
 * An SFTP version 3 session over any duplex stream. Requests may overlap freely; answers are
 * matched by id in whatever order they come.
 */
export class SftpClient {
  readonly extensions = new Set<string>()
  private waiting = new Map<number, Waiting>()
  private nextId = 1
  private chunks: Buffer[] = []
  private buffered = 0
  private failure: Error | null = null
  private drained: Promise<void> | null = null
  private version: Waiting | null = null

  private constructor(private readonly stream: Duplex) {
    stream.on('data', (chunk: Buffer) => this.receive(chunk))
    const lost = () => this.fail(new MachineError('unreachable', 'The file connection was lost'))
    stream.on('end', lost).on('close', lost).on('error', lost)
  }

  /** Says hello. Fails with `unreachable` when there is no answer within `timeout` ms. */
  static async open(stream: Duplex, timeout = 15_000): Promise<SftpClient> {
    const client = new SftpClient(stream)
    const timer = setTimeout(() => {
      client.fail(new MachineError('unreachable', 'The machine does not answer file requests'))
    }, timeout)
    try {
      const answer = await new Promise<Answer>((resolve, reject) => {
        client.version = { resolve, reject }
        client.send(packet.init, [uint32(3)])
      })
      answer.body.uint32()
      while (answer.body.left > 0) {
        client.extensions.add(answer.body.string().toString())
        answer.body.string()
      }
    } finally {
      clearTimeout(timer)
    }
    return client
  }

  get closed(): boolean {
    return this.failure !== null
  }

  /** Files and folders that are open now. */
  openHandles = 0
  lastUse = Date.now()

  get idle(): boolean {
    return this.waiting.size === 0 && this.openHandles === 0
  }

  /** Sends one request. An error status rejects with StatusError. */
  request(type: number, fields: Buffer[]): Promise<Answer> {
    if (this.failure) return Promise.reject(this.failure)
    this.lastUse = Date.now()
    const id = this.nextId
    this.nextId = (this.nextId % 0xffffffff) + 1
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.send(type, [uint32(id), ...fields])
    })
  }

  /** OpenSSH's named requests. */
  extended(name: string, fields: Buffer[]): Promise<Answer> {
    return this.request(packet.extended, [string(name), ...fields])
  }

  /** Settles once the connection takes more bytes; bulk writers wait here. */
  drain(): Promise<void> {
    return this.drained ?? Promise.resolve()
  }

  close(): void {
    this.fail(new MachineError('closed', 'The file connection is closed'))
  }

  private send(type: number, fields: Buffer[]): void {
    let length = 1
    for (const field of fields) length += field.length
    const head = Buffer.allocUnsafe(5)
    head.writeUInt32BE(length)
    head[4] = type
    // Large payloads go out as they are; small fields together in one write.
    const last = fields.at(-1)
    let flowing: boolean
    if (last && last.length >= 4096) {
      this.stream.write(Buffer.concat([head, ...fields.slice(0, -1)]))
      flowing = this.stream.write(last)
    } else {
      flowing = this.stream.write(Buffer.concat([head, ...fields]))
    }
    if (!flowing && !this.drained) {
      this.drained = new Promise((resolve) => {
        const done = () => {
          this.stream.off('drain', done).off('close', done)
          this.drained = null
          resolve()
        }
        this.stream.once('drain', done).once('close', done)
      })
    }
  }

  private receive(chunk: Buffer): void {
    if (this.failure) return
    this.chunks.push(chunk)
    this.buffered += chunk.length
    try {
      while (this.buffered >= 4) {
        const length = this.peekLength()
        if (length < 1 || length > MAX_ANSWER) throw new RangeError('An answer has a wrong length')
        if (this.buffered < 4 + length) return
        const bytes = this.take(4 + length)
        this.dispatch(bytes[4], bytes.subarray(5))
      }
    } catch (error) {
      const words = 'The machine answered a file request with something else'
      this.fail(new MachineError('unreachable', words, { cause: error }))
    }
  }

  private peekLength(): number {
    if (this.chunks[0].length < 4) this.chunks = [Buffer.concat(this.chunks)]
    return this.chunks[0].readUInt32BE(0)
  }

  private take(length: number): Buffer {
    this.buffered -= length
    const first = this.chunks[0]
    if (first.length === length) {
      this.chunks.shift()
      return first
    }
    if (first.length > length) {
      this.chunks[0] = first.subarray(length)
      return first.subarray(0, length)
    }
    const whole = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const chunk = this.chunks[0]
      const copied = chunk.copy(whole, filled, 0, length - filled)
      filled += copied
      if (copied === chunk.length) this.chunks.shift()
      else this.chunks[0] = chunk.subarray(copied)
    }
    return whole
  }

  private dispatch(type: number, bytes: Buffer): void {
    const body = new Reader(bytes)
    if (type === packet.version) {
      this.version?.resolve({ type, body })
      this.version = null
      return
    }
    const id = body.uint32()
    const waiting = this.waiting.get(id)
    if (!waiting) return
    this.waiting.delete(id)
    if (type !== packet.status) return waiting.resolve({ type, body })
    const code = body.uint32()
    if (code === status.ok) return waiting.resolve({ type, body })
    const message = body.left >= 4 ? body.string().toString() : ''
    waiting.reject(new StatusError(code, message || 'Failure'))
  }

  private fail(error: Error): void {
    if (this.failure) return
    this.failure = error
    this.chunks = []
    this.version?.reject(error)
    const waiting = [...this.waiting.values()]
    this.waiting.clear()
    for (const { reject } of waiting) reject(error)
    this.stream.destroy()
  }
}
