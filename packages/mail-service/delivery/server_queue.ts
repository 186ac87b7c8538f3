import type { ClaimedMessage } from './message_claims.js'
import type { ServerConnection } from './connection.js'
import { backoffDelayMs } from './retry_schedule.js'

/** Rows of a lane that wait in memory: little until its servers have taken something, then enough to be busy. */
const MIN_BUFFERED_ROWS = 10
export const MAX_QUEUED_MESSAGES = 250

/** Milliseconds for which an open line waits for the next letter. */
const IDLE_TIMEOUT_MS = 2_000

/**
 * Messages to the same servers. It begins with one connection and gets another with each success; when the servers do
 * not answer it is left alone for a while, and then asked by a single message.
 */
export class ServerQueue {
  readonly waiting: ClaimedMessage[] = []
  running = 0
  failures = 0
  /** Why it is left alone. */
  problem = ''
  #limit = 1
  #until = 0
  #proven = false
  readonly #idle: { line: ServerConnection; timer: NodeJS.Timeout }[] = []

  readonly #maxConnections: number

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections
  }

  /** Messages at once, by now. */
  get limit(): number {
    return this.#limit
  }

  /** Its servers have taken something since they last failed. */
  get proven(): boolean {
    return this.#proven
  }

  get held(): number {
    return this.waiting.length + this.running
  }

  isDown(now: Date): boolean {
    return now.getTime() < this.#until
  }

  /** When it may be asked again. */
  get until(): Date {
    return new Date(this.#until)
  }

  /** How many more it can use. */
  quota(now: Date): number {
    if (this.isDown(now)) return 0
    const limit = this.failures > 0 ? 1 : this.#proven ? MAX_QUEUED_MESSAGES : MIN_BUFFERED_ROWS
    return Math.max(0, limit - this.held)
  }

  answered(): void {
    this.failures = 0
    this.#proven = true
    this.#limit = Math.min(this.#limit + 1, this.#maxConnections)
  }

  /** Nobody answered. Several that fail together are one failure. */
  failed(now: Date, problem: string): void {
    this.problem = problem
    this.#proven = false
    this.#limit = 1
    if (this.isDown(now)) return
    this.failures++
    this.#until = now.getTime() + backoffDelayMs(this.failures)
  }

  takeLine(): ServerConnection | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      clearTimeout(idle.timer)
      if (idle.line.usable) return idle.line
    }
    return undefined
  }

  keepLine(line: ServerConnection): void {
    if (!line.usable) return
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((idle) => idle.line === line)
      if (at >= 0) this.#idle.splice(at, 1)
      line.quit()
    }, IDLE_TIMEOUT_MS)
    timer.unref()
    this.#idle.push({ line, timer })
  }

  close(): void {
    for (let line = this.takeLine(); line; line = this.takeLine()) line.quit()
  }
}
