import { AppError } from '#core/app_error'
import env from '#start/env'
import logger from '@adonisjs/core/services/logger'
import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'

/** A lock that is held until it is released or its database connection breaks. */
export interface HeldLock {
  /** Aborted when the lock is lost. Another process may hold it by then. */
  lost: AbortSignal
  release(): Promise<void>
}

/** SQL for the advisory lock key of a name. Queries on `pg_locks` use the same expression. */
export const lockKeySql = (name: string) => `hashtextextended(${name}, 0)`

interface Connection {
  client: pg.Client
  ask: RunQuery
}

type RunQuery = <Row extends pg.QueryResultRow>(
  sql: string,
  values: string[]
) => Promise<pg.QueryResult<Row>>

/** Returns a query function that runs one query at a time on the client. */
function serialized(client: pg.Client): RunQuery {
  let last: Promise<unknown> = Promise.resolve()
  return <Row extends pg.QueryResultRow>(sql: string, values: string[]) => {
    const answer = last.then(() => client.query<Row>(sql, values))
    last = answer.catch(() => {})
    return answer
  }
}

/**
 * PostgreSQL advisory locks, any number of them, on one separate connection. Holding a lock therefore takes
 * no connection from the pool. If the process dies, PostgreSQL releases its locks.
 */
export class LockSession {
  #opening?: Promise<Connection>
  #held = new Map<string, AbortController>()
  #ended = false

  /** Takes a lock, or returns `null` if any process holds it. */
  async tryHold(name: string): Promise<HeldLock | null> {
    // Otherwise work that is still running would open a connection that keeps the process alive.
    if (this.#ended) throw new Error('The process is stopping')
    // PostgreSQL would grant the lock to the same connection a second time.
    if (this.#held.has(name)) return null
    const mine = new AbortController()
    this.#held.set(name, mine)
    const forget = () => this.#held.get(name) === mine && this.#held.delete(name)
    try {
      const { ask } = await (this.#opening ?? this.#open())
      const { rows } = await ask<{ got: boolean }>(
        `select pg_try_advisory_lock(${lockKeySql('$1')}) as got`,
        [name]
      )
      if (!rows[0].got) return (forget(), null)
      const release = async () => {
        if (!forget()) return
        const unlocked = ask(`select pg_advisory_unlock(${lockKeySql('$1')})`, [name])
        await unlocked.catch((error) => logger.warn({ err: error, lock: name }, 'lock was lost'))
      }
      return { lost: mine.signal, release }
    } catch (error) {
      forget()
      throw error
    }
  }

  /** Releases all locks and closes the connection. */
  async end(): Promise<void> {
    this.#ended = true
    const opening = this.#opening
    this.#lose(opening)
    const connection = await opening?.catch(() => undefined)
    await connection?.client.end()
  }

  #open(): Promise<Connection> {
    const connectionString = env.get('DATABASE_URL').release()
    const client = new pg.Client({ connectionString, keepAlive: true })
    const lost = () => this.#lose(opening)
    client.on('error', (error) => {
      logger.warn({ err: error }, 'the connection of locks broke')
      lost()
    })
    client.on('end', lost)
    const opening = client.connect().then(() => ({ client, ask: serialized(client) }))
    opening.catch(lost)
    return (this.#opening = opening)
  }

  #lose(opening: Promise<Connection> | undefined): void {
    if (this.#opening !== opening) return
    this.#opening = undefined
    const all = [...this.#held.values()]
    this.#held.clear()
    for (const mine of all) mine.abort(new Error('The lock was lost'))
  }
}

/** Locks of this process's requests and operations. Closed when the process stops. */
export const processLocks = new LockSession()

const RETRY_INTERVAL_MS = 50

/** Longer than the timeout of a service call, so that a second change waits for the first one. */
const LOCK_TIMEOUT_MS = 15_000

/**
 * Retries until the lock is free. Returns `null` after `timeoutMs`, also if PostgreSQL does not answer.
 * @param tryHold tries one lock or several in sequence, with the result of `LockSession.tryHold`
 */
export async function waitForLock(
  tryHold: () => Promise<HeldLock | null>,
  timeoutMs: number
): Promise<HeldLock | null> {
  const timer = new AbortController()
  let isExpired = false
  const expired =
    timeoutMs === Infinity
      ? new Promise<never>(() => {})
      : sleep(timeoutMs, null, timer).then(
          () => ((isExpired = true), null),
          () => null
        )
  try {
    for (;;) {
      const attempt = tryHold()
      const held = await Promise.race([attempt, expired])
      if (held) return held
      if (isExpired) {
        attempt.then((late) => late?.release()).catch(() => {})
        return null
      }
      await sleep(RETRY_INTERVAL_MS)
    }
  } finally {
    timer.abort()
  }
}

/**
 * Runs work while no process runs other work under the same name. Use it around calls to services and
 * hosts: unlike a transaction, it occupies no pool connection during the call.
 * @throws 503 if the lock is not free within `timeoutMs`, or PostgreSQL does not answer
 */
export async function withLock<T>(
  name: string,
  work: () => Promise<T>,
  { timeoutMs = LOCK_TIMEOUT_MS } = {}
): Promise<T> {
  const held = await waitForLock(() => processLocks.tryHold(name), timeoutMs)
  if (!held) {
    const message = 'Another change is still running. Try again in a moment.'
    throw new AppError('busy', 503, message, { retryAfter: 5 })
  }
  try {
    return await work()
  } finally {
    // Not awaited: the caller should not wait for the unlock, least of all if PostgreSQL is frozen.
    void held.release()
  }
}
