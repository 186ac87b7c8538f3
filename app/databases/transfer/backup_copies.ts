import {
  type BackupCopyDestinationKey,
  getBackupCopyDestinationProvider,
} from '#databases/backup_copy_destinations'
import { MAX_VAULT_COPY_BYTES } from '#databases/limits'
import type Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { nameWithoutPrefix } from '#databases/names'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import { DatabaseFileStore } from '#databases/transfer/file_store'
import { databaseNamePrefix } from '#databases/transformers/database'
import { downloadFrom, uploadTo } from '#databases/transfer/http_transfer'
import { conflict, AppError } from '#core/app_error'
import { toAppErrorIfMachineError } from '#core/machine_errors'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import { createHash } from 'node:crypto'
import { addAbortListener } from 'node:events'
import { pipeline, type Readable, Transform } from 'node:stream'

export const DAMAGED_COPY_MESSAGE =
  'This backup is damaged: its content does not match its checksum. Nothing was changed.'
const COPY_TOO_LARGE_MESSAGE =
  'Only backups up to 5 GB are copied to a vault. This backup is stored only on its server.'

const COPY_NOT_SENT_MESSAGE = 'The backup could not be copied to the vault.'

const destinationOf = ({
  accountId,
  elsewhereVaultId,
}: DatabaseBackup): BackupCopyDestinationKey => ({
  accountId,
  destinationId: elsewhereVaultId!,
})

/**
 * Returns the name of the copy's object: `berth-databases/mysql/shop/12-2026-11-23.sql.gz`. Database names created
 * outside Berth can contain any characters.
 */
function nameOf({ id, createdAt, format }: DatabaseBackup, database: Database): string {
  const shown = nameWithoutPrefix({ prefix: databaseNamePrefix(database) }, database.name)
  const folder = shown.replaceAll(/[^\w-]/g, '_')
  const day = createdAt.toUTC().toISODate()!
  return `berth-databases/${database.engine}/${folder}/${id}-${day}.${format}`
}

/** Returns whether a complete backup must still be copied to its vault (bucket). */
export const isWaitingForCopy = (backup: DatabaseBackup): boolean =>
  backup.status === 'done' &&
  backup.file !== null &&
  backup.elsewhereVaultId !== null &&
  backup.sentAt === null

/**
 * Copies a backup to its vault, if needed. If that fails, saves the error instead of throwing it, because the
 * backup on the server is still valid.
 * @throws only if `signal` is aborted
 */
export async function sendToDestination(
  backup: DatabaseBackup,
  database: Database,
  signal?: AbortSignal
): Promise<void> {
  if (!isWaitingForCopy(backup)) return
  try {
    await uploadCopy(backup, database, signal)
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    const error = toAppErrorIfMachineError(thrown)
    if (!(error instanceof AppError))
      logger.warn({ err: error, backup: backup.id }, COPY_NOT_SENT_MESSAGE)
    const message = error instanceof AppError ? error.message : COPY_NOT_SENT_MESSAGE
    await backup.merge({ elsewhereError: message }).save()
  }
}

async function uploadCopy(backup: DatabaseBackup, database: Database, signal?: AbortSignal) {
  const size = backup.sizeBytes!
  if (size > MAX_VAULT_COPY_BYTES) throw conflict(COPY_TOO_LARGE_MESSAGE)
  const at = destinationOf(backup)
  const name = nameOf(backup, database)
  const url = await getBackupCopyDestinationProvider().upload(at, name, size)
  const store = new DatabaseFileStore(
    await resolveDatabaseServer(database, database.engine),
    'backups'
  )
  const { body } = await store.get(backup.file!)
  if (signal) addAbortListener(signal, () => body.destroy(new Error('The copy was cancelled')))
  await backup.merge({ elsewhere: name }).save()
  const { through, digest } = digested(body)
  await uploadTo(url, through, size)
  const isSame = digest() === backup.digest
  // No row is updated if the backup was deleted during the upload. Then its copy is deleted too.
  const [storedFile] = isSame
    ? await DatabaseBackup.query()
        .where({ id: backup.id, status: 'done' })
        .update({ sentAt: DateTime.utc().toSQL(), elsewhereError: null })
    : [0]
  if (!storedFile) await getBackupCopyDestinationProvider().remove(at, [name])
  if (!isSame) throw conflict(DAMAGED_COPY_MESSAGE)
  await backup.refresh()
}

function digested(body: Readable) {
  const hash = createHash('sha256')
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  pipeline(body, through, () => {})
  return { through, digest: () => hash.digest('hex') }
}

export async function removeFromDestination(backup: DatabaseBackup): Promise<void> {
  if (!backup.elsewhere || backup.elsewhereVaultId === null) return
  await getBackupCopyDestinationProvider().remove(destinationOf(backup), [backup.elsewhere])
}

/**
 * @throws AppError if the storage rejects the download or announces another size than the backup has; Error if the
 * connection to the storage fails
 */
export async function openFromDestination(
  backup: DatabaseBackup
): Promise<{ body: Readable; bytes: number }> {
  const opened = await downloadFrom(
    await getBackupCopyDestinationProvider().download(destinationOf(backup), backup.elsewhere!)
  )
  if (opened.bytes === backup.sizeBytes) return opened
  opened.body.destroy()
  throw conflict(DAMAGED_COPY_MESSAGE)
}

export async function openBackup(
  backup: DatabaseBackup,
  database: Database
): Promise<{ body: Readable; bytes: number }> {
  try {
    if (!backup.file) throw conflict('This backup did not complete, so it cannot be used.')
    const server = await resolveDatabaseServer(database, database.engine)
    return await new DatabaseFileStore(server, 'backups').get(backup.file)
  } catch (error) {
    if (!backup.sentAt) throw error
    return openFromDestination(backup)
  }
}
