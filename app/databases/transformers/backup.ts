import type DatabaseBackup from '#databases/models/database_backup'
import type { BackupRow } from '#databases/transformers/pages'

/** A copy as pages see it. */
export function backupRow(row: DatabaseBackup): BackupRow {
  return {
    id: row.id,
    reason: row.reason,
    status: row.status === 'deleted' ? 'failed' : row.status,
    size_bytes: row.sizeBytes,
    contents: row.contents ? { ...row.contents } : null,
    error: row.error,
    created_at: row.createdAt.toISO()!,
  }
}
