import { processLocks } from '#core/locks'
import { RetryLater } from '#core/operations/operations'

/**
 * Runs a backup of a database or an import into it, while no other one runs. A backup during an import could lack
 * tables, triggers or views. An import fails if a backup keeps a table locked for long.
 * @throws RetryLater if another backup or import runs
 */
export async function withDataLock(databaseId: number, work: () => Promise<void>): Promise<void> {
  const held = await processLocks.tryHold(`database-data:${databaseId}`)
  if (!held) {
    throw new RetryLater(
      'Waiting for a backup of this database or an import into it to finish',
      3_000
    )
  }
  try {
    await work()
  } finally {
    await held.release()
  }
}
