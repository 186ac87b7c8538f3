import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import DatabaseServer from '#databases/models/database_server'
import type { ServerInstance } from '#instances/public'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/**
 * Marks the databases of a deleted instance as deleted, and deletes the records of its database servers. Of the
 * backups, only copies in vaults (buckets) remain.
 */
export async function markInstanceDatabasesDeleted(
  { id }: Pick<ServerInstance, 'id'>,
  trx: TransactionClientContract
): Promise<void> {
  const there = Database.query({ client: trx }).where('serverInstanceId', id)
  const copies = DatabaseBackup.query({ client: trx }).whereIn(
    'databaseId',
    there.clone().select('id')
  )
  await copies.clone().whereNull('sentAt').update({ status: 'deleted' })
  await copies.clone().whereNotNull('sentAt').update({ file: null })
  await there
    .clone()
    .where('status', 'active')
    .update({ status: 'deleted', deletedAt: DateTime.utc().toSQL() })
  await DatabaseServer.query({ client: trx }).where('serverInstanceId', id).delete()
}
