import type { Engine } from '#databases/engines'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import type { ServerSelection } from '#databases/queries/selected_server'

export interface DroppedDatabaseBackup {
  copy: DatabaseBackup
  database: Database
}

const MAX_COPIES_SHOWN = 200

/**
 * Lists complete backups of databases that were dropped on the selected server, newest first. Includes backups of any
 * server, even a deleted one, that have no file on it but only a copy in a vault.
 */
export async function listDroppedDatabaseBackups(
  accountId: number,
  engine: Engine,
  { instance, managed }: ServerSelection
): Promise<DroppedDatabaseBackup[]> {
  const dropped = Database.query().where({ accountId, engine, status: 'deleted' })
  const onServer = dropped.clone()
  if (instance) void onServer.where('serverInstanceId', instance.id)
  else if (managed) void onServer.whereNull('serverInstanceId')
  else void onServer.whereRaw('false')
  const copies = await DatabaseBackup.query()
    .where({ accountId, status: 'done' })
    .whereIn('databaseId', dropped.select('id'))
    .where((query) => {
      void query.whereNull('file').orWhereIn('databaseId', onServer.select('id'))
    })
    .orderBy('id', 'desc')
    .limit(MAX_COPIES_SHOWN)
  return withDatabases(copies)
}

export async function listAllDroppedDatabaseBackups(): Promise<DroppedDatabaseBackup[]> {
  const dropped = Database.query().where('status', 'deleted').select('id')
  const copies = await DatabaseBackup.query()
    .whereIn('status', ['done', 'failed'])
    .whereIn('databaseId', dropped)
    .orderBy('id')
  return withDatabases(copies)
}

async function withDatabases(copies: DatabaseBackup[]): Promise<DroppedDatabaseBackup[]> {
  const ids = [...new Set(copies.map(({ databaseId }) => databaseId))]
  const databases = await Database.query().whereIn('id', ids)
  const byId = new Map(databases.map((database) => [database.id, database]))
  return copies.map((copy) => ({ copy, database: byId.get(copy.databaseId)! }))
}
