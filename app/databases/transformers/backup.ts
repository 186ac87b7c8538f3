import type DatabaseBackup from '#databases/models/database_backup'
import { nameWithoutPrefix } from '#databases/names'
import type { DroppedDatabaseBackup } from '#databases/queries/dropped_database_backups'
import { droppedDatabaseBackupExpiry } from '#databases/transfer/backup_lifecycle'
import { databaseNamePrefix } from '#databases/transformers/database'
import type { BackupRow, DroppedDatabaseBackupRow } from '#databases/transformers/page_props'

export function backupRow(row: DatabaseBackup): BackupRow {
  return {
    id: row.id,
    reason: row.reason,
    status: row.status === 'deleted' ? 'failed' : row.status,
    size_bytes: row.sizeBytes,
    contents: row.contents ? { ...row.contents } : null,
    notes: row.notes ?? [],
    error: row.error,
    created_at: row.createdAt.toISO()!,
    vault: vaultOf(row),
  }
}

function vaultOf({ elsewhereVaultId: id, sentAt, elsewhereError: error }: DatabaseBackup) {
  if (id === null) return null
  if (sentAt) return { id, state: 'sent' as const, error: null }
  return { id, state: error ? ('failed' as const) : ('waiting' as const), error }
}

export function droppedDatabaseBackupRow({
  copy,
  database,
}: DroppedDatabaseBackup): DroppedDatabaseBackupRow {
  return {
    ...backupRow(copy),
    database: nameWithoutPrefix({ prefix: databaseNamePrefix(database) }, database.name),
    kept_until: droppedDatabaseBackupExpiry(copy, database).toISO()!,
  }
}
