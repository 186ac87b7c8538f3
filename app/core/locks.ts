import { AppError } from '#core/app_error'
import env from '#start/env'
import { CONNECT_TIMEOUT_MS } from '#packages/service/database_watch'
import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import pg from 'pg'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A lock that this process holds until it releases the lock or its database connection breaks. */
export interface HeldLock {
  /**
   * Aborted with a LockUnavailableError when this process notices that the lock is lost. By then, another process
   * may already hold the lock.
   */
  lost: AbortSignal
  /**
   * Checks in PostgreSQL that the lock is still held. Call it last in the transaction that saves the work,
   * because this process may notice a broken connection too late.
   * @throws LockUnavailableError
   */
  assertHeld(trx: TransactionClientContract): Promise<void>
  release(): Promise<void>
}

/** Code of the error if PostgreSQL does not respond. No lock was acquired and no work has begun. */
export const DATABASE_SILENT_CODE = 'database_silent'

/** Thrown if a lock was lost or PostgreSQL does not respond. A later attempt may succeed. */
export class LockUnavailableError extends AppError {
  constructor(
    code: 'lock_unavailable' | typeof DATABASE_SILENT_CODE,
    message: string,
    cause: unknown
  ) {
    super(code, 503, message, { retryAfter: 5, cause })
  }
}

const lockLost = (cause?: unknown) =>
  new LockUnavailableError(
    'lock_unavailable',
    'The console lost the connection to its own database during this change. Check whether the change was made, and repeat it if not.',
    cause
  )

/** Queries on `pg_locks` can use the key too. `name` is also SQL, such as `$1`. */
export const lockKeySql = (name: string) => `hashtextextended(${name}, 0)`

interface Connection {
  client: pg.Client
  socket: Socket
  ask: RunQuery
  pid: number
}

/**
 * A lock must not outlive a broken network or a hanging process. This process notices a missing response within 25
 * s. PostgreSQL releases the locks later than that.
 */
const TIMING = {
  heartbeatMs: 15_000,
  /** Heartbeats and lock attempts never wait for a lock. A late response means that the connection is broken. */
  queryTimeoutMs: 10_000,
  idleTimeoutMs: 60_000,
}

const END_TIMEOUT_MS = 1_000

type RunQuery = <Row extends pg.QueryResultRow>(
  sql: string,
  values: string[]
) => Promise<pg.QueryResult<Row>>

/**
 * Runs one query at a time on the client.
 * @param onNoAnswer called if PostgreSQL does not respond to a query
 */
function serialized(client: pg.Client, onNoAnswer: () => void): RunQuery {
  let last: Promise<unknown> = Promise.resolve()
  return <Row extends pg.QueryResultRow>(sql: string, values: string[]) => {
    const answer = last.then(() => client.query<Row>(sql, values))
    last = answer.catch((error: { code?: string }) => {
      if (!error.code) onNoAnswer()
    })
    return answer
  }
}

/**
 * PostgreSQL advisory locks. All are held on one separate connection, so that they occupy no connection of the
 * pool.
 */
export class LockSession {
  #opening?: Promise<Connection>
  #held = new Map<string, AbortController>()
  #ended = false
  readonly #timing: typeof TIMING

  constructor(timing: Partial<typeof TIMING> = {}) {
    this.#timing = { ...TIMING, ...timing }
  }

  /**
   * Acquires the lock without waiting. Returns `null` if any process, including this one, holds it.
   * @throws LockUnavailableError if PostgreSQL does not respond
   */
  async tryHold(name: string): Promise<HeldLock | null> {
    // Trying would open a connection, and the process could not exit.
    if (this.#ended) throw new Error('The process is stopping')
    // PostgreSQL grants a lock again to the connection that already holds it.
    if (this.#held.has(name)) return null
    const mine = new AbortController()
    this.#held.set(name, mine)
    const forget = () => this.#held.get(name) === mine && this.#held.delete(name)
    try {
      const { ask, pid } = await (this.#opening ?? this.#open())
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
      const assertHeld = async (trx: TransactionClientContract) => {
        if (mine.signal.aborted || !(await isHeld(trx, name, pid))) throw lockLost()
      }
      return { lost: mine.signal, assertHeld, release }
    } catch (error) {
      forget()
      const message = 'The console’s own database does not answer. Try again in a moment.'
      throw new LockUnavailableError(DATABASE_SILENT_CODE, message, error)
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    const opening = this.#opening
    this.#lose(opening)
    const connection = await opening?.catch(() => undefined)
    if (!connection) return
    // If PostgreSQL does not respond, it does not confirm that the connection is closed either.
    await Promise.race([connection.client.end(), sleep(END_TIMEOUT_MS, null, { ref: false })])
    connection.socket.destroy()
  }

  #open(): Promise<Connection> {
    const connectionString = env.get('DATABASE_URL').release()
    const { heartbeatMs, queryTimeoutMs, idleTimeoutMs } = this.#timing
    const socket = new Socket()
    const client = new pg.Client({
      connectionString,
      stream: () => socket,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: queryTimeoutMs,
    })
    let heartbeat: NodeJS.Timeout | undefined
    const lost = () => {
      clearInterval(heartbeat)
      this.#lose(opening)
    }
    const giveUp = () => {
      lost()
      socket.destroy()
    }
    client.on('error', (error) => {
      logger.warn({ err: error }, 'the database connection that holds the locks failed')
      lost()
    })
    client.on('end', lost)
    const connect = async (): Promise<Connection> => {
      await client.connect()
      const ask = serialized(client, giveUp)
      const { rows } = await ask<{ pid: number }>(
        `select pg_backend_pid() as pid, set_config('idle_session_timeout', $1, false)`,
        [String(idleTimeoutMs)]
      )
      const beat = () => void ask('select', []).catch(() => {})
      heartbeat = setInterval(beat, heartbeatMs).unref()
      return { client, socket, ask, pid: rows[0].pid }
    }
    const opening = connect()
    opening.catch(giveUp)
    return (this.#opening = opening)
  }

  #lose(opening: Promise<Connection> | undefined): void {
    if (this.#opening !== opening) return
    this.#opening = undefined
    const all = [...this.#held.values()]
    this.#held.clear()
    for (const mine of all) mine.abort(lockLost())
  }
}

async function isHeld(trx: TransactionClientContract, name: string, pid: number): Promise<boolean> {
  const { rows } = await trx.rawQuery<{ rows: unknown[] }>(
    `select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted and pid = ?
       and database = (select oid from pg_database where datname = current_database())
       and ((classid::bigint << 32) | objid::bigint) = ${lockKeySql('?')}`,
    [pid, name]
  )
  return rows.length > 0
}

export const processLocks = new LockSession()

const RETRY_INTERVAL_MS = 50

/** Longer than any call of a service, so that a second change waits until the first is done. */
const LOCK_TIMEOUT_MS = 15_000

/**
 * Returns `null` if the lock is not free after `timeoutMs`.
 * @param tryHold tries to acquire the lock, or one of several
 * @throws LockUnavailableError if PostgreSQL does not respond
 */
export async function waitForLock(
  tryHold: () => Promise<HeldLock | null>,
  timeoutMs: number
): Promise<HeldLock | null> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const held = await tryHold()
    if (held || Date.now() >= deadline) return held
    await sleep(RETRY_INTERVAL_MS)
  }
}

/**
 * Runs work while nothing else, in any process, runs under this name. Use it for calls to services and hosts. Unlike
 * a transaction, it occupies no connection of the pool.
 * The work continues if the lock is lost: call `assertHeld` before saving its result.
 * @throws 503 if the lock is not free within `timeoutMs`
 * @throws LockUnavailableError if PostgreSQL does not respond, or if the lock was lost
 */
export async function withLock<T>(
  name: string,
  work: (lock: HeldLock) => Promise<T>,
  { timeoutMs = LOCK_TIMEOUT_MS } = {}
): Promise<T> {
  const held = await waitForLock(() => processLocks.tryHold(name), timeoutMs)
  if (!held) {
    const message = 'Another change is still running. Try again in a moment.'
    throw new AppError('busy', 503, message, { retryAfter: 5 })
  }
  try {
    const result = await work(held)
    held.lost.throwIfAborted()
    return result
  } finally {
    // Not awaited, because PostgreSQL may not respond.
    void held.release()
  }
}
