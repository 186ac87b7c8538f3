import { processLocks, waitForLock, type HeldLock } from '#core/locks'
import { tooManyRequests } from '#core/app_error'

/** Queries that run at once on an instance's server, or for one account on a managed one. */
const MAX_CONCURRENT_QUERIES = 4
/** How long is waited for the one before to end: it may have been cancelled just now. Milliseconds. */
const PREVIOUS_QUERY_WAIT_MS = 3_000

/**
 * Does something while this person asks nothing else of this database, in any process, and while no
 * more than four queries run on its server. Refuses (429) where that stays so.
 * @param server names the server among all
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
    const slot = await waitForLock(() => findFreeSlot(server), PREVIOUS_QUERY_WAIT_MS)
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

async function findFreeSlot(server: string): Promise<HeldLock | null> {
  for (let slot = 1; slot <= MAX_CONCURRENT_QUERIES; slot++) {
    const held = await processLocks.tryHold(`queries:${server}:${slot}`)
    if (held) return held
  }
  return null
}
