import { startOperation } from '#core/operations/operations'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { backUpDatabaseOperation } from '#databases/operations/backup'
import { databaseSubject } from '#databases/queries/databases'
import { databaseDriver } from '#databases/servers/drivers'
import { assertManualBackupAllowed } from '#databases/transfer/backup_limits'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export async function startDatabaseBackup(
  database: Database,
  reason: DatabaseBackup['reason'],
  trx?: TransactionClientContract
) {
  const { format } = databaseDriver(database).transfer
  const { id: databaseId, accountId } = database
  const backup = await DatabaseBackup.create(
    { databaseId, accountId, reason, status: 'running', format },
    { client: trx }
  )
  return startOperation(
    backUpDatabaseOperation,
    { databaseId, backupId: backup.id },
    { title: 'Backing up a database', accountId, subject: databaseSubject(database), trx }
  )
}

/** @throws 409 if a manual backup is running, or the database already has `MAX_MANUAL_BACKUPS` */
export function startManualBackup(database: Database) {
  return db.transaction(async (trx) => {
    await Database.query({ client: trx }).where('id', database.id).forUpdate().firstOrFail()
    await assertManualBackupAllowed(database, trx)
    return startDatabaseBackup(database, 'asked', trx)
  })
}
