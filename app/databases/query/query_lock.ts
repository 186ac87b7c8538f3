import { LockSession, type HeldLock } from '#core/locks'
import { tooManyRequests } from '#core/app_error'
import { setTimeout as sleep } from 'node:timers/promises'

/** Queries that run at once on an instance's server, or for one account on a managed one. */
const MAX_CONCURRENT_QUERIES = 4
/** How long is waited for the one before to end: it may have been cancelled just now. Milliseconds. */
const PREVIOUS_QUERY_WAIT_MS = 3_000

const locks = new LockSession()

/**
 * Does something while this person asks nothing else of this database, in any process, and while no
 * more than four queries run on its server. Refuses (429) where that stays so.
 * @param server names the server among all
 */
export async function withQueryLock<T>(
  { person, database, server }: { person: string; database: number; server: string },
  work: () => Promise<T>
): Promise<T> {
  const mine = await soon(() => locks.tryHold(`query:${database}:${person}`))
  if (!mine) {
    throw tooManyRequests(
      5,
      'Your previous query is still running on this database. Cancel it or wait until it finishes.'
    )
  }
  try {
    const slot = await soon(() => findFreeSlot(server))
    if (!slot) {
      throw tooManyRequests(
        10,
        `${MAX_CONCURRENT_QUERIES} queries are already running on this database server. Try again in a moment.`
      )
    }
    try {
      return await work()
    } finally {
      await slot.release()
    }
  } finally {
    await mine.release()
  }
}

/** Ends the connection that the locks are on; when the process stops. */
export function closeQueryLocks(): Promise<void> {
  return locks.end()
}

async function findFreeSlot(server: string): Promise<HeldLock | null> {
  for (let slot = 1; slot <= MAX_CONCURRENT_QUERIES; slot++) {
    const held = await locks.tryHold(`queries:${server}:${slot}`)
    if (held) return held
  }
  return null
}

async function soon(hold: () => Promise<HeldLock | null>): Promise<HeldLock | null> {
  const deadline = Date.now() + PREVIOUS_QUERY_WAIT_MS
  for (;;) {
    const held = await hold()
    if (held || Date.now() > deadline) return held
    await sleep(100)
  }
}
