import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Duration after which a statement counts as slow, and the watch starts to probe PostgreSQL. */
const SLOW_STATEMENT_MS = 1_000
const PROBE_TIMEOUT_MS = 3_000
/** Interval of probes while a slow statement runs or PostgreSQL does not answer. */
const PROBE_INTERVAL_MS = 1_000
const CHECK_INTERVAL_MS = 250
/**
 * Number of unanswered probes after which PostgreSQL counts as frozen. A single one is normal on a busy host, and must
 * not interrupt statements.
 */
const MAX_UNANSWERED_PROBES = 2

export const CONNECT_TIMEOUT_MS = 5_000

/** PostgreSQL does not answer: it is frozen, or the network drops its packets. */
export class DatabaseFrozenError extends Error {
  constructor() {
    super('PostgreSQL does not answer')
  }
}

/** SQLSTATE codes for start-up, shutdown, and termination by an administrator or a crash. */
const STOPPED_PATTERN = /^57P0[123]$/
const UNREACHABLE_PATTERN = /^(ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EPIPE)$/
/** Messages of pg errors without a code. */
const CONNECTION_LOST_PATTERN =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated)/

export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseFrozenError) return true
  if (!(error instanceof Error)) return false
  const { code = '' } = error as { code?: string }
  return (
    STOPPED_PATTERN.test(code) ||
    UNREACHABLE_PATTERN.test(code) ||
    CONNECTION_LOST_PATTERN.test(error.message)
  )
}

/**
 * Detects that PostgreSQL has stopped answering, and closes the connections that wait for it. While a slow statement
 * runs, it sends `select 1` over a separate connection. As long as PostgreSQL answers this, slow statements and waits
 * for locks are not interrupted.
 */
export class DatabaseWatch {
  /** For each connection that is running a statement, the time at which that statement started. */
  readonly #busy = new Map<pg.Client, number>()
  #timer: NodeJS.Timeout | undefined
  #probe: Promise<void> | undefined
  #nextProbe = 0
  #unanswered = 0
  #isFrozen = false

  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Whether PostgreSQL did not answer the last `MAX_UNANSWERED_PROBES` probes. */
  get isFrozen(): boolean {
    return this.#isFrozen
  }

  add(client: pg.Client): void {
    const query = client.query.bind(client) as (...input: unknown[]) => unknown
    client.query = ((...input: unknown[]) => {
      if (!this.#busy.has(client)) this.#busy.set(client, Date.now())
      this.#timer ??= setInterval(() => this.#look(), CHECK_INTERVAL_MS).unref()
      return query(...input)
    }) as typeof client.query
    client.on('drain', () => this.#busy.delete(client))
    client.once('end', () => this.#busy.delete(client))
  }

  #look(): void {
    const slow = Date.now() - SLOW_STATEMENT_MS
    const isSlow = [...this.#busy.values()].some((since) => since < slow)
    if (!isSlow && !this.#isFrozen) {
      if (this.#busy.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    if (Date.now() >= this.#nextProbe) this.#probe ??= this.#ask()
  }

  async #ask(): Promise<void> {
    const began = Date.now()
    this.#unanswered = (await doesAnswer(this.#url)) ? 0 : this.#unanswered + 1
    this.#isFrozen = this.#unanswered >= MAX_UNANSWERED_PROBES
    this.#nextProbe = this.#unanswered === 1 ? 0 : Date.now() + PROBE_INTERVAL_MS
    this.#probe = undefined
    if (!this.#isFrozen) return
    // For a connection that is running a statement, `end` destroys the socket immediately, and the statement fails.
    for (const [client, since] of this.#busy) if (since < began) client.end().catch(() => {})
  }
}

async function doesAnswer(url: string): Promise<boolean> {
  const socket = new Socket()
  const client = new pg.Client({ connectionString: url, stream: () => socket })
  client.on('error', () => {})
  const answer = client
    .connect()
    .then(() => client.query('select 1'))
    // Any answer shows that PostgreSQL works, even an error such as `53300` (too many connections).
    .then(
      () => true,
      (error: { code?: string }) => /^[0-9A-Z]{5}$/.test(error.code ?? '')
    )
  // Uses two timers: if this process was paused, it handles answers that arrived meanwhile before the second timer
  // fires.
  const late = sleep(PROBE_TIMEOUT_MS)
    .then(() => sleep(CHECK_INTERVAL_MS))
    .then(() => false)
  const isAnswered = await Promise.race([answer, late])
  socket.destroy()
  return isAnswered
}
