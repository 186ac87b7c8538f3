import type { ClaimedMessage } from './message_claims.js'
import type { ServerConnection } from './connection.js'
import { backoffDelayMs } from './retry_schedule.js'

/**
 * Number of messages that a queue may hold in memory until the servers have responded to one. After that, the limit is
 * `MAX_QUEUED_MESSAGES`, to keep the servers busy.
 */
const MIN_BUFFERED_ROWS = 10
export const MAX_QUEUED_MESSAGES = 250

const IDLE_TIMEOUT_MS = 2_000

/**
 * A queue of messages for the same servers. It starts with one connection. After each message to which the servers
 * responded, it may open one more. If they do not respond, it pauses, and then tries a single message.
 */
export class ServerQueue {
  readonly waiting: ClaimedMessage[] = []
  running = 0
  failures = 0
  /** Reason for the queue's pause. */
  problem = ''
  #limit = 1
  #until = 0
  #proven = false
  readonly #idle: { line: ServerConnection; timer: NodeJS.Timeout }[] = []

  readonly #maxConnections: number

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections
  }

  get limit(): number {
    return this.#limit
  }

  /** Whether the servers have responded to a message since the last connection failure. */
  get proven(): boolean {
    return this.#proven
  }

  get held(): number {
    return this.waiting.length + this.running
  }

  isDown(now: Date): boolean {
    return now.getTime() < this.#until
  }

  get until(): Date {
    return new Date(this.#until)
  }

  /** Returns the number of further messages that the queue may take now. */
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

  /** Pauses the queue after a connection failure. Further failures during the pause are not counted. */
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
