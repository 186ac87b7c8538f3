import { EventEmitter } from 'node:events'
import { MachineError } from '../errors.js'
import type { ExitStatus, Shell, ShellEvents } from '../types.js'
import type { IncusTerminal } from './types.js'

const EXIT_TIMEOUT_MS = 3_000

/**
 * An interactive shell through Incus. `pause` stops reading from the WebSocket, so that the program blocks when the
 * buffers are full.
 */
export class IncusShell extends EventEmitter<ShellEvents> implements Shell {
  readonly exit: Promise<ExitStatus>
  #ended = false
  #unsent = new Set<() => void>()

  readonly #terminal: IncusTerminal

  constructor(terminal: IncusTerminal) {
    super()
    this.#terminal = terminal

    this.exit = new Promise((resolve) => this.once('close', (status) => resolve(status)))
    const { stream } = terminal
    stream.on('data', this.#onData)
    stream.on('error', () => {})
    const outputEnded = new Promise<void>((resolve) => {
      stream.once('end', resolve).once('close', resolve)
    })
    terminal.exit.then(
      async (code) => {
        await outputEnded
        this.#finish({ code, signal: null })
      },
      (cause) => this.#lose(cause)
    )
    void outputEnded.then(() => {
      if (!this.#ended) setTimeout(() => this.#lose(), EXIT_TIMEOUT_MS).unref()
    })
  }

  write(data: Buffer | string): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.#unsent.delete(done)
        resolve()
      }
      this.#unsent.add(done)
      this.#terminal.stream.write(data, done)
    })
  }

  resize(cols: number, rows: number): void {
    if (!this.#ended) this.#terminal.resize(cols, rows)
  }

  pause(): void {
    this.#terminal.stream.pause()
  }

  resume(): void {
    this.#terminal.stream.resume()
  }

  setWindow(): void {}

  close(): void {
    if (this.#ended) return
    this.#terminal.stream.off('data', this.#onData)
    this.#terminal.close()
    this.#finish({ code: null, signal: null })
  }

  #onData = (chunk: Buffer) => this.emit('data', chunk)

  #lose(cause?: unknown): void {
    const error = new MachineError('unreachable', 'The connection to the machine was lost', {
      cause,
    })
    this.#finish({ code: null, signal: null }, error)
  }

  #finish(status: ExitStatus, error?: MachineError): void {
    if (this.#ended) return
    this.#ended = true
    for (const done of [...this.#unsent]) done()
    this.#terminal.stream.destroy()
    this.emit('close', status, error)
  }
}
