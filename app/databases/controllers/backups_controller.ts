import { respond } from '#core/action_response'
import type { Actor } from '#core/contracts/actor'
import { accountIdOf } from '#core/contracts/actor'
import { parseRecordId } from '#core/record_id'
import { conflict, invalid, notFound, AppError } from '#core/app_error'
import { startManualBackup } from '#databases/actions/start_database_backup'
import { listBackupCopyDestinations } from '#databases/backup_copy_destinations'
import { remainingBackupBytes } from '#databases/transfer/backup_limits'
import { deleteBackup } from '#databases/transfer/backup_lifecycle'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { nameWithoutPrefix } from '#databases/names'
import { requireSelectedServer } from '#databases/queries/selected_server'
import { getDatabaseOfAnyEngine, getDatabaseEvenIfDropped } from '#databases/queries/databases'
import { databaseDriver } from '#databases/servers/drivers'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import { auditTransfer } from '#databases/transfer/audit_transfer'
import { DAMAGED_COPY_MESSAGE, openBackup } from '#databases/transfer/backup_copies'
import { respondWithDownload } from '#databases/transfer/respond_with_download'
import { DatabaseFileStore } from '#databases/transfer/file_store'
import { databaseNamePrefix } from '#databases/transformers/database'
import { assertNoImport, startImport } from '#databases/transfer/exclusive_imports'
import {
  backupPlanValidator,
  newDatabaseNameValidator,
  restoreValidator,
} from '#databases/validators/database'
import type { HttpContext } from '@adonisjs/core/http'

export default class BackupsController {
  async store(ctx: HttpContext) {
    const database = await getDatabaseOfAnyEngine(ctx.actor, ctx.request.input('database_id'))
    const server = await resolveDatabaseServer(database, database.engine)
    await new DatabaseFileStore(server, 'backups').assertRoom(database.sizeBytes ?? 0)
    await remainingBackupBytes(server)
    const operation = await startManualBackup(database)
    await auditTransfer(ctx, database, 'database.backup')
    respond(ctx, {
      status: 202,
      message: 'Backup started.',
      data: { operation: operation.describe() },
    })
  }

  /** `how`: `over` replaces the data of the database, `beside` creates a new database. */
  async restore(ctx: HttpContext) {
    const { request } = ctx
    const { backup, database } = await findBackup(ctx.actor, request.input('id'))
    const isWhole = backup.status === 'done' && (backup.file !== null || backup.sentAt !== null)
    if (!isWhole) throw conflict('This backup did not complete, so it cannot be used.')
    const { how } = await request.validateUsing(restoreValidator)
    if (how === 'over' && database.status === 'deleted') {
      throw conflict('This database was dropped. Restore this backup as a new database.')
    }
    if (backup.contents && Object.values(backup.contents).every((count) => count === 0)) {
      throw new AppError(
        'bad_dump',
        422,
        'This backup is empty, because the database had no data at that time. Nothing was changed. Create a new database instead.'
      )
    }
    // A backup's file is restored on the server that stores it. If only the copy in a vault exists, it is restored
    // on the selected server.
    const server = backup.file
      ? await resolveDatabaseServer(database, database.engine)
      : await requireSelectedServer(ctx, database.engine)
    const source = await sourceOf(server, backup)
    const target = how === 'over' ? database : await createTargetDatabase(ctx, server)
    const input = {
      ...source,
      filename: `copy.${backup.format}`,
      merge: false,
    }
    const operation = await startImport(
      target,
      input,
      `Restoring a backup into ${nameWithoutPrefix(server, target.name)}`
    )
    await auditTransfer(ctx, target, 'database.restore', { backup: backup.id, how })
    respond(ctx, {
      status: 202,
      message: 'Restore started.',
      data: { operation: operation.describe(), database: target.id },
    })
  }

  async destroy(ctx: HttpContext) {
    const { backup, database } = await findBackup(ctx.actor, ctx.request.input('id'))
    if (backup.status === 'running') throw conflict('This backup is still running.')
    await assertNoImport(database)
    await deleteBackup(backup, database)
    await auditTransfer(ctx, database, 'database.backup_delete', { backup: backup.id })
    respond(ctx, { message: 'Backup deleted.' })
  }

  async plan(ctx: HttpContext) {
    const { request } = ctx
    const database = await getDatabaseOfAnyEngine(ctx.actor, request.input('database_id'))
    const sent = await request.validateUsing(backupPlanValidator)
    const keep = sent.keep ?? database.backupKeep
    const days = sent.days ?? database.backupDays
    const nightly = sent.nightly ?? database.backupNightly
    const vaultId = await selectedVault(database, sent.vault_id)
    await database
      .merge({ backupNightly: nightly, backupKeep: keep, backupDays: days, backupVaultId: vaultId })
      .save()
    await auditTransfer(ctx, database, 'database.plan', { nightly, keep, days, vault: vaultId })
    respond(ctx, { message: 'Saved.' })
  }

  async download(ctx: HttpContext) {
    const { backup, database } = await findBackup(ctx.actor, ctx.params.id)
    if (backup.status !== 'done')
      throw conflict('This backup did not complete, so it cannot be used.')
    const { body, bytes } = await openBackup(backup, database)
    await auditTransfer(ctx, database, 'database.backup_download', { backup: backup.id })
    const day = backup.createdAt.toISODate()
    await respondWithDownload(ctx, body, {
      filename: `${nameWithoutPrefix({ prefix: databaseNamePrefix(database) }, database.name)}-${day}.${backup.format}`,
      mediaType: backup.format === 'sql.gz' ? 'application/gzip' : 'application/zip',
      bytes,
    })
  }
}

/**
 * Returns the id of the vault, or `null` for no copies.
 * @throws 422 with the reason if the requested vault cannot receive copies
 */
async function selectedVault(
  { accountId, backupVaultId }: Database,
  wish: number | null | undefined
): Promise<number | null> {
  // The current vault may stay selected even if it has a problem.
  if (wish === undefined || wish === backupVaultId) return backupVaultId
  if (wish === null) return null
  const destination = (await listBackupCopyDestinations(accountId)).find(({ id }) => id === wish)
  if (!destination) throw invalid({ vault_id: 'Choose one of your vaults.' })
  if (destination.problem) throw invalid({ vault_id: destination.problem })
  return destination.id
}

/**
 * Returns a backup and its database, even if the database was dropped.
 * @throws 404 if the backup does not exist or belongs to another account
 */
async function findBackup(actor: Actor, id: unknown) {
  const key = parseRecordId(id)
  const backup = key
    ? await DatabaseBackup.live()
        .where({ id: key, accountId: accountIdOf(actor) })
        .first()
    : null
  if (!backup) throw notFound('backup')
  return { backup, database: await getDatabaseEvenIfDropped(actor, backup.databaseId) }
}

async function sourceOf(server: Server, backup: DatabaseBackup) {
  const { id, file, sentAt, format, sizeBytes } = backup
  try {
    if (!file) throw conflict('This backup did not complete, so it cannot be used.')
    await assertSound(server, backup)
    return { from: 'backup' as const, file }
  } catch (error) {
    if (!sentAt) throw error
    const store = new DatabaseFileStore(server, 'imports')
    await store.assertRoom(sizeBytes ?? 0)
    return { from: 'vault' as const, file: store.newName(format), backupId: id }
  }
}

async function assertSound(server: Server, { file, digest }: DatabaseBackup): Promise<void> {
  if (digest && (await new DatabaseFileStore(server, 'backups').digest(file!)) !== digest) {
    throw conflict(DAMAGED_COPY_MESSAGE)
  }
}

async function createTargetDatabase({ request }: HttpContext, server: Server): Promise<Database> {
  const { database_name: name } = await request.validateUsing(newDatabaseNameValidator, {
    meta: { server },
  })
  await databaseDriver(server).accounts.assertFree(server, { database: name })
  const { accountId, instance, engine } = server
  const serverInstanceId = instance?.id ?? null
  return Database.create({ accountId, serverInstanceId, engine, name, status: 'active' })
}
