import { defineSchedule } from '#core/schedules/schedules'
import { listAllDroppedCopies } from '#databases/queries/dropped_copies'
import { deleteBackup, backupExpiry } from '#databases/transfer/make_backup'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/**
 * Deletes the copies of dropped databases that were kept as long as was wished. Those of a machine that
 * does not answer are deleted another time.
 */
export async function pruneDroppedCopies(
  now: DateTime = DateTime.utc(),
  signal?: AbortSignal
): Promise<void> {
  for (const { copy, database } of await listAllDroppedCopies()) {
    if (backupExpiry(copy, database) > now) continue
    if (signal?.aborted) return
    try {
      await deleteBackup(copy, database)
    } catch (error) {
      logger.debug({ err: error, backup: copy.id }, 'a copy could not be deleted')
    }
  }
}

export default defineSchedule({
  name: 'databases.copies',
  label: 'Deletes old backups of dropped databases',
  every: 3_600,
  run: (signal) => pruneDroppedCopies(undefined, signal),
})
