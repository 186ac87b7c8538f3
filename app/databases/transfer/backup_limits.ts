import { AppError } from '#core/app_error'
import { MAX_MANAGED_BACKUP_BYTES, MAX_MANUAL_BACKUPS } from '#databases/limits'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { nameWithoutPrefix } from '#databases/names'
import type { Server } from '#databases/servers/server'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

const MAX_NAMED_BACKUPS = 3

/**
 * Checks that no manual backup of the database is running, and that it may have another.
 * @param trx must lock the database's row
 * @throws 409 if a manual backup is running, or if the limit is reached; then the error names the oldest backups
 */
export async function assertManualBackupAllowed(
  { id }: Pick<Database, 'id'>,
  trx: TransactionClientContract
): Promise<void> {
  const backups = await DatabaseBackup.query({ client: trx })
    .where({ databaseId: id, reason: 'asked' })
    .whereIn('status', ['running', 'done'])
    .orderBy('createdAt')
  if (backups.some(({ status }) => status === 'running')) {
    throw new AppError(
      'backup_running',
      409,
      'A manual backup of this database is already queued or running. Wait until it finishes and try again.'
    )
  }
  if (backups.length < MAX_MANUAL_BACKUPS) return
  const oldest = backups.slice(0, MAX_NAMED_BACKUPS).map(({ createdAt }) => createdAt.toISODate())
  throw new AppError(
    'too_many_backups',
    409,
    `This database has ${backups.length} manual backups. The limit is ${MAX_MANUAL_BACKUPS}. Delete some and try again. The oldest are from ${oldest.join(', ')}.`
  )
}

/**
 * Returns the bytes that the account's backups may still occupy on the server's machine. On an instance, only its
 * disk limits them.
 * @throws 507 that names the backups to delete if no bytes are left
 */
export async function remainingBackupBytes({ instance, accountId, prefix }: Server) {
  if (instance) return Infinity
  const backups = await DatabaseBackup.query()
    .where({ accountId, status: 'done' })
    .whereNotNull('file')
    .whereIn('databaseId', Database.query().whereNull('serverInstanceId').select('id'))
    .orderBy('sizeBytes', 'desc')
  const used = backups.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0)
  if (used < MAX_MANAGED_BACKUP_BYTES) return MAX_MANAGED_BACKUP_BYTES - used
  const largest: string[] = []
  for (const { databaseId, createdAt, sizeBytes } of backups.slice(0, MAX_NAMED_BACKUPS)) {
    const { name } = await Database.findOrFail(databaseId)
    largest.push(
      `${nameWithoutPrefix({ prefix }, name)} from ${createdAt.toISODate()} (${gigabytes(sizeBytes ?? 0)})`
    )
  }
  throw backupLimitReached(
    `They already take up ${gigabytes(used)}. Delete some and try again. The largest are: ${largest.join(', ')}.`
  )
}

export function backupTooLarge(remainingBytes: number): AppError {
  return backupLimitReached(
    `Only ${gigabytes(remainingBytes)} were left for this backup, which is larger. Delete other backups and try again.`
  )
}

function backupLimitReached(reason: string): AppError {
  const limit = gigabytes(MAX_MANAGED_BACKUP_BYTES)
  return new AppError(
    'backup_limit',
    507,
    `The backups of one account may take up ${limit} on the managed server. ${reason}`
  )
}

const gigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GB`
