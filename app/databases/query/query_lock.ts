import { processLocks, waitForLock, type HeldLock } from '#core/locks'
import { tooManyRequests } from '#core/app_error'

/** Limit for all queries on an instance's server, or for the queries of one account on a managed server. */
const MAX_CONCURRENT_QUERIES = 4
/**
 * Maximum of each of two waits: for the person's previous query, which may just have been cancelled, and then for a
 * free slot.
 */
const PREVIOUS_QUERY_WAIT_MS = 3_000

/**
 * Runs `work` while the person runs no other query on this database, and at most four queries run on the server.
 * Counts the queries of all processes.
 * @param server key that identifies the server
 * @throws 429 if either limit is still reached after the wait
 */
export async function withQueryLock<T>(
  { person, database, server }: { person: string; database: number; server: string },
  work: () => Promise<T>
): Promise<T> {
  const mine = await waitForLock(
    () => processLocks.tryHold(`query:${database}:${person}`),
    PREVIOUS_QUERY_WAIT_MS
  )
  if (!mine) {
    throw tooManyRequests(
      5,
      'Your previous query is still running on this database. Cancel it or wait until it finishes.'
    )
  }
  try {
    const slot = await waitForLock(
      () => findFreeSlot(`queries:${server}`, MAX_CONCURRENT_QUERIES),
      PREVIOUS_QUERY_WAIT_MS
    )
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

/** Acquires one of `slots` locks. Returns null if all are held. */
export async function findFreeSlot(name: string, slots: number): Promise<HeldLock | null> {
  for (let slot = 1; slot <= slots; slot++) {
    const held = await processLocks.tryHold(`${name}:${slot}`)
    if (held) return held
  }
  return null
}
