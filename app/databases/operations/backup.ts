import { makeBackup, deleteExpiredBackups } from '#databases/transfer/backup_lifecycle'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import { sendToDestination } from '#databases/transfer/backup_copies'
import { withDataLock } from '#databases/transfer/data_lock'
import { isImportUnfinished } from '#databases/transfer/exclusive_imports'
import { defineOperation, RetryLater } from '#core/operations/operations'
import { DateTime } from 'luxon'

interface Input {
  databaseId: number
  backupId: number
}

/** Makes a backup on the server's machine, copies it to the database's vault, and deletes expired backups. */
export const backUpDatabaseOperation = defineOperation<Input>({
  kind: 'database.backup',
  queue: 'transfer',
  cancellable: true,
  steps: [
    {
      key: 'copy',
      label: 'Create the backup',
      async run({ databaseId, backupId }, { reportProgress, signal }) {
        const database = await Database.findOrFail(databaseId)
        const server = await resolveDatabaseServer(database, database.engine)
        const backup = await DatabaseBackup.findOrFail(backupId)
        if (backup.status === 'done') return
        await withDataLock(databaseId, async (lock) => {
          if (await isImportUnfinished(database)) {
            throw new RetryLater('Waiting for the import into this database to finish', 3_000)
          }
          const stop = AbortSignal.any([signal, lock.lost])
          await makeBackup(backup, server, database, reportProgress, stop, lock)
        })
      },
    },
    {
      key: 'send',
      label: 'Copy the backup to the chosen vault',
      async run({ databaseId, backupId }, { signal }) {
        const database = await Database.findOrFail(databaseId)
        await sendToDestination(await DatabaseBackup.findOrFail(backupId), database, signal)
      },
    },
    {
      key: 'tidy',
      label: 'Delete the oldest backups',
      async run({ databaseId }) {
        const database = await Database.findOrFail(databaseId)
        await deleteExpiredBackups(database)
      },
    },
  ],
  async result({ backupId }) {
    const { sizeBytes, contents, notes } = await DatabaseBackup.findOrFail(backupId)
    return { backup: backupId, size_bytes: sizeBytes, contents, notes: notes ?? [] }
  },
  async failed({ backupId }, reason) {
    await DatabaseBackup.query()
      .where({ id: backupId, status: 'running' })
      .update({ status: 'failed', error: reason, finishedAt: DateTime.utc().toSQL() })
  },
})
