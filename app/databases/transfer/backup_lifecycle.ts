import type Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { databaseDriver } from '#databases/servers/drivers'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import { backupTooLarge, remainingBackupBytes } from '#databases/transfer/backup_limits'
import { removeFromDestination } from '#databases/transfer/backup_copies'
import { DatabaseFileStore } from '#databases/transfer/file_store'
import { type HeldLock, LockUnavailableError } from '#core/locks'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { addAbortListener } from 'node:events'
import { pipeline, Transform, type Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

/**
 * Deletes expired backups except the newest, stores the export, and saves its size, checksum and contents. If that
 * fails, saves the reason, unless `signal` is aborted or the lock is lost, and rethrows the error.
 * @param lock must still be held when the backup is saved
 */
export async function makeBackup(
  backup: DatabaseBackup,
  server: Server,
  database: Database,
  report: (note: string) => Promise<void>,
  signal?: AbortSignal,
  lock?: HeldLock
): Promise<void> {
  const { name, sizeBytes, backupVaultId } = database
  const { transfer, servers } = databaseDriver(server)
  const store = new DatabaseFileStore(server, 'backups')
  try {
    await store.assertRoom(sizeBytes ?? 0)
    await deleteExpiredBackups(database, { keepsNewest: true })
    const remainingBytes = await remainingBackupBytes(server)
    // An interrupted run has left this file.
    if (backup.file) await store.remove(backup.file)
    const file = store.newName(transfer.format)
    await backup.merge({ file, format: transfer.format }).save()
    const contents = await transfer.contents(server, name)
    const { body, notes } = await transfer.export(server, name, { acceptsMoreDamage: true })
    if (signal) addAbortListener(signal, () => body.destroy(new Error('The backup was cancelled')))
    const packed = transfer.format === 'sql.gz' ? gzipped(body) : body
    const { bytes, digest } = await store.put(file, withProgress(packed, report, remainingBytes))
    const { version } = await servers.state(server).catch(() => ({ version: null }))
    const finished = {
      status: 'done',
      sizeBytes: bytes,
      digest,
      contents,
      notes: notes(),
      engineVersion: version,
      error: null,
      elsewhereVaultId: backupVaultId,
      finishedAt: DateTime.utc(),
    } as const
    await db.transaction(async (trx) => {
      await backup.useTransaction(trx).merge(finished).save()
      await lock?.assertHeld(trx)
    })
  } catch (error) {
    if (!signal?.aborted && !(error instanceof LockUnavailableError)) {
      const message = error instanceof Error ? error.message : String(error)
      await backup
        .merge({ status: 'failed', error: message.slice(0, 2_000), finishedAt: DateTime.utc() })
        .save()
      if (backup.file) await store.remove(backup.file).catch(() => {})
    }
    throw error
  }
}

/** Compresses at the fastest level, so that the export is not slowed down. */
function gzipped(body: Readable): Readable {
  const gzip = createGzip({ level: 1 })
  pipeline(body, gzip, () => {})
  return gzip
}

/** Passes the bytes on. Reports their number, and fails above `maxBytes`. */
function withProgress(
  body: Readable,
  report: (note: string) => Promise<void>,
  maxBytes: number
): Readable {
  let bytes = 0
  let reportedAt = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) return done(backupTooLarge(maxBytes))
      if (Date.now() - reportedAt > 1_000) {
        reportedAt = Date.now()
        void report(`${(bytes / 1024 ** 2).toFixed(1)} MB written`).catch(() => {})
      }
      done(null, chunk)
    },
  })
  pipeline(body, counter, () => {})
  return counter
}

export async function deleteBackup(backup: DatabaseBackup, database: Database): Promise<void> {
  await removeFromDestination(backup)
  if (backup.file) {
    const server = await resolveDatabaseServer(database, database.engine)
    await new DatabaseFileStore(server, 'backups').remove(backup.file)
  }
  await backup.merge({ status: 'deleted', file: null }).save()
}

/**
 * Returns when a backup of a dropped database expires: `backupDays` after the backup or the drop, whichever is
 * later.
 */
export function droppedDatabaseBackupExpiry(
  { createdAt }: Pick<DatabaseBackup, 'createdAt'>,
  { deletedAt, backupDays }: Pick<Database, 'deletedAt' | 'backupDays'>
): DateTime {
  return DateTime.max(createdAt, deletedAt ?? createdAt).plus({ days: backupDays })
}

/**
 * Deletes expired backups. If a copy in a vault cannot be deleted now, a later run deletes it.
 * @param keepsNewest keeps the newest successful backup even if it has expired, because the next one may fail
 */
export async function deleteExpiredBackups(
  database: Database,
  { keepsNewest = false } = {}
): Promise<void> {
  const { id: databaseId } = database
  const newest = keepsNewest
    ? await DatabaseBackup.query()
        .where({ databaseId, status: 'done' })
        .orderBy('createdAt', 'desc')
        .first()
    : null
  for (const each of await listExpiredBackups(database)) {
    if (each.id === newest?.id) continue
    try {
      await deleteBackup(each, database)
    } catch (error) {
      if (!each.elsewhere) throw error
      logger.debug({ err: error, backup: each.id }, 'a backup could not be deleted')
    }
  }
}

export async function listExpiredBackups(
  database: Database,
  now = DateTime.utc()
): Promise<DatabaseBackup[]> {
  const all = await DatabaseBackup.query()
    .where({ databaseId: database.id })
    .whereIn('status', ['done', 'failed'])
    .where((query) => {
      // Manual backups are deleted only by people, except failed ones, which have no file.
      const failed = { reason: 'asked', status: 'failed' }
      void query.whereIn('reason', ['nightly', 'before_import']).orWhere(failed)
    })
    .orderBy('createdAt', 'desc')
  const tooOld = now.minus({ days: database.backupDays })
  const retainedCopies = { nightly: 0, before_import: 0 }
  return all.filter(({ reason, status, createdAt }) => {
    if (createdAt < tooOld) return true
    if (status !== 'done') return false
    return ++retainedCopies[reason as keyof typeof retainedCopies] > database.backupKeep
  })
}
