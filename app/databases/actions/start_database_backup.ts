import { startOperation } from '#core/operations/operations'
import type Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { backUpDatabaseOperation } from '#databases/operations/backup'
import { databaseSubject } from '#databases/queries/databases'
import { databaseDriver } from '#databases/servers/drivers'

export async function startDatabaseBackup(database: Database, reason: DatabaseBackup['reason']) {
  const { format } = databaseDriver(database).transfer
  const { id: databaseId, accountId } = database
  const backup = await DatabaseBackup.create({
    databaseId,
    accountId,
    reason,
    status: 'running',
    format,
  })
  return startOperation(
    backUpDatabaseOperation,
    { databaseId, backupId: backup.id },
    { title: 'Backing up a database', accountId, subject: databaseSubject(database) }
  )
}
