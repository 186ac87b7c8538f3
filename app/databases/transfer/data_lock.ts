import { type HeldLock, processLocks } from '#core/locks'
import { RetryLater } from '#core/operations/operations'

/**
 * Runs a backup or an import of a database while no other one has the lock. The backup that an import makes first does
 * not take the lock. A backup during an import could lack tables. An import fails if a backup locks a table for long.
 * A backup that loses the lock must not be saved, because an import may have started. An import may continue without
 * the lock, because backups also wait for unfinished imports.
 * @throws RetryLater if another backup or import runs
 * @throws LockUnavailableError if the work failed after the lock was lost
 */
export async function withDataLock(
  databaseId: number,
  work: (lock: HeldLock) => Promise<void>
): Promise<void> {
  const held = await processLocks.tryHold(`database-data:${databaseId}`)
  if (!held) {
    throw new RetryLater(
      'Waiting for a backup of this database or an import into it to finish',
      3_000
    )
  }
  try {
    await work(held)
  } catch (error) {
    held.lost.throwIfAborted()
    throw error
  } finally {
    await held.release()
  }
}
