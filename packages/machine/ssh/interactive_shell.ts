import { EventEmitter } from 'node:events'
import type ssh2 from 'ssh2'
import { MachineError } from '../errors.js'
import type { ExitStatus, Shell, ShellEvents } from '../types.js'
import type { SshConnection } from './connection.js'

export const SHELL_WINDOW_BYTES = 256 * 1024
const MIN_WINDOW_BYTES = 16 * 1024

/** An interactive shell over SSH. At most `window` bytes of its output are in transit at any time. */
export class SshShell extends EventEmitter<ShellEvents> implements Shell {
  readonly exit: Promise<ExitStatus>
  #window = SHELL_WINDOW_BYTES
  /** Bytes that the machine may still send, plus bytes that were received but not yet emitted. */
  #granted = SHELL_WINDOW_BYTES
  #status: ExitStatus = { code: null, signal: null }
  #ended = false
  #unsent = new Set<() => void>()
  readonly #widen: (bytes: number) => void

  readonly #link: SshConnection
  readonly #channel: ssh2.ClientChannel

  constructor(link: SshConnection, channel: ssh2.ClientChannel) {
    super()
    this.#link = link
    this.#channel = channel

    this.exit = new Promise((resolve) => this.once('close', (status) => resolve(status)))
    this.#widen = link.ownWindow(channel)
    channel.on('data', this.#onData)
    channel.stderr.on('data', this.#onData)
    channel.on('close', (code?: number | null, signal?: string) => {
      this.#status = { code: code ?? null, signal: signal ?? null }
      this.#finish(link.lost ?? undefined)
    })
    link.once('lost', this.#onLost)
  }

  write(data: Buffer | string): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.#unsent.delete(done)
        resolve()
      }
      this.#unsent.add(done)
      this.#channel.write(data, done)
    })
  }

  resize(cols: number, rows: number): void {
    if (!this.#ended) this.#channel.setWindow(rows, cols, 0, 0)
  }

  pause(): void {
    this.#channel.pause()
  }

  resume(): void {
    this.#channel.resume()
  }

  setWindow(bytes: number): void {
    this.#window = Math.max(MIN_WINDOW_BYTES, Math.round(bytes))
    this.#refill()
  }

  close(): void {
    if (this.#ended) return
    this.#channel.off('data', this.#onData)
    this.#channel.stderr.off('data', this.#onData)
    this.#channel.resume()
    this.#channel.stderr.resume()
    this.#channel.close()
    this.#finish()
  }

  #onData = (chunk: Buffer) => {
    this.#granted -= chunk.length
    this.emit('data', chunk)
    this.#refill()
  }

  #onLost = (error: MachineError) => this.#finish(error)

  #refill(): void {
    const missing = this.#window - this.#granted
    if (missing < this.#window / 2) return
    this.#granted += missing
    this.#widen(missing)
  }

  #finish(error?: MachineError): void {
    if (this.#ended) return
    this.#ended = true
    this.#link.off('lost', this.#onLost)
    for (const done of [...this.#unsent]) done()
    // A connection that we close ourselves does not count as lost.
    this.emit('close', this.#status, error?.kind === 'closed' ? undefined : error)
  }
}
