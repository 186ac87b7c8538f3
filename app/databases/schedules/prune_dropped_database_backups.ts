import { defineSchedule } from '#core/schedules/schedules'
import { listAllDroppedDatabaseBackups } from '#databases/queries/dropped_database_backups'
import { deleteBackup, droppedDatabaseBackupExpiry } from '#databases/transfer/backup_lifecycle'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/** Deletes expired backups of dropped databases. If a machine does not respond, a later run deletes its backups. */
export async function pruneDroppedDatabaseBackups(
  now: DateTime = DateTime.utc(),
  signal?: AbortSignal
): Promise<void> {
  for (const { copy, database } of await listAllDroppedDatabaseBackups()) {
    if (droppedDatabaseBackupExpiry(copy, database) > now) continue
    if (signal?.aborted) return
    try {
      await deleteBackup(copy, database)
    } catch (error) {
      logger.debug({ err: error, backup: copy.id }, 'a backup could not be deleted')
    }
  }
}

export default defineSchedule({
  name: 'databases.copies',
  label: 'Deletes old backups of dropped databases',
  every: 3_600,
  run: (signal) => pruneDroppedDatabaseBackups(undefined, signal),
})
