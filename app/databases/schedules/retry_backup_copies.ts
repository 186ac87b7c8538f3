import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { MAX_VAULT_COPY_BYTES } from '#databases/limits'
import { sendToDestination } from '#databases/transfer/backup_copies'
import { defineSchedule } from '#core/schedules/schedules'
import { DateTime } from 'luxon'

const MAX_RETRY_DAYS = 7
const MAX_COPIES_PER_RUN = 50

export async function retryBackupCopies(signal?: AbortSignal, now = DateTime.utc()): Promise<void> {
  const waiting = await DatabaseBackup.query()
    .where({ status: 'done' })
    .whereNotNull('file')
    .whereNotNull('elsewhereVaultId')
    .whereNull('sentAt')
    .where('sizeBytes', '<=', MAX_VAULT_COPY_BYTES)
    .where('createdAt', '>', now.minus({ days: MAX_RETRY_DAYS }).toSQL()!)
    // Excludes new backups, because their own operation copies them.
    .where((query) => {
      void query
        .whereNotNull('elsewhereError')
        .orWhere('finishedAt', '<', now.minus({ hours: 1 }).toSQL()!)
    })
    // A random order, so that backups that always fail do not block the others.
    .orderByRaw('random()')
    .limit(MAX_COPIES_PER_RUN)
  for (const backup of waiting) {
    if (signal?.aborted) return
    await sendToDestination(backup, await Database.findOrFail(backup.databaseId), signal)
  }
}

export default defineSchedule({
  name: 'databases.send',
  label: 'Retries copying database backups to vaults',
  every: 3_600,
  run: (signal) => retryBackupCopies(signal),
})
