import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Milliseconds that a statement takes before the watch asks whether PostgreSQL answers at all. */
const SLOW_MS = 1_000
/** Milliseconds within which PostgreSQL answers a new connection. */
const PROBE_TIMEOUT_MS = 3_000
/** Milliseconds between two questions while a long statement runs, or PostgreSQL does not answer. */
const PROBE_INTERVAL_MS = 1_000
const LOOK_INTERVAL_MS = 250
/** Questions in a row without an answer: a busy machine can miss one, and then nothing that waits is ended. */
const MAX_UNANSWERED = 2

/** Milliseconds after which a connection that cannot be opened is given up. */
export const CONNECT_TIMEOUT_MS = 5_000

/** PostgreSQL accepts no statement: it is frozen, or the network in between is. */
export class DatabaseFrozen extends Error {
  constructor() {
    super('PostgreSQL does not answer')
  }
}

/** PostgreSQL's codes for "I am starting", "I am stopping", and "I was stopped". */
const STOPPED = /^57P0[123]$/
const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EPIPE)$/
/** The words of pg, which has no codes for these. */
const LOST = /^(timeout exceeded when trying to connect|timeout expired|Connection terminated)/

/** Whether an error says that the database cannot be used now, rather than that a statement was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof DatabaseFrozen) return true
  if (!(error instanceof Error)) return false
  const { code = '' } = error as { code?: string }
  return STOPPED.test(code) || UNREACHABLE.test(code) || LOST.test(error.message)
}

/**
 * Finds out when PostgreSQL has stopped to answer, and then ends the connections that wait for it, so that nobody waits
 * without end. Statements may take as long as they take: while one does, the watch asks `select 1` at a connection of
 * its own, which a PostgreSQL that works answers at once. Hence billing runs, exports and waits for locks need no
 * exception.
 */
export class DatabaseWatch {
  /** Connections with a statement under way, and when it began. */
  readonly #busy = new Map<pg.Client, number>()
  #timer: NodeJS.Timeout | undefined
  #probe: Promise<void> | undefined
  #nextProbe = 0
  #unanswered = 0
  #isFrozen = false

  constructor(private readonly url: string) {}

  /** Whether PostgreSQL did not answer when it was last asked. */
  get isFrozen(): boolean {
    return this.#isFrozen
  }

  /** Watches a connection of a pool until it ends. */
  add(client: pg.Client): void {
    const query = client.query.bind(client) as (...input: unknown[]) => unknown
    client.query = ((...input: unknown[]) => {
      if (!this.#busy.has(client)) this.#busy.set(client, Date.now())
      this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref()
      return query(...input)
    }) as typeof client.query
    client.on('drain', () => this.#busy.delete(client))
    client.once('end', () => this.#busy.delete(client))
  }

  #look(): void {
    const slow = Date.now() - SLOW_MS
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
    this.#unanswered = (await doesAnswer(this.url)) ? 0 : this.#unanswered + 1
    this.#isFrozen = this.#unanswered >= MAX_UNANSWERED
    this.#nextProbe = this.#unanswered === 1 ? 0 : Date.now() + PROBE_INTERVAL_MS
    this.#probe = undefined
    if (!this.#isFrozen) return
    // A connection with a statement under way is destroyed at once, and its statement fails.
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
    // Whatever PostgreSQL says, it says something: `53300` is "too many connections".
    .then(
      () => true,
      (error: { code?: string }) => /^[0-9A-Z]{5}$/.test(error.code ?? '')
    )
  // After a pause of this process itself, what has arrived meanwhile is read before the second timer.
  const late = sleep(PROBE_TIMEOUT_MS)
    .then(() => sleep(LOOK_INTERVAL_MS))
    .then(() => false)
  const isAnswered = await Promise.race([answer, late])
  socket.destroy()
  return isAnswered
}
