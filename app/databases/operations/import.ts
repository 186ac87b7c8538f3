import { makeBackup, deleteExpiredBackups } from '#databases/transfer/backup_lifecycle'
import Database from '#databases/models/database'
import DatabaseBackup, { type DatabaseContentCounts } from '#databases/models/database_backup'
import { databaseDriver } from '#databases/servers/drivers'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { TableStates } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import { DAMAGED_COPY_MESSAGE, openFromDestination } from '#databases/transfer/backup_copies'
import { withDataLock } from '#databases/transfer/data_lock'
import { DatabaseFileStore } from '#databases/transfer/file_store'
import { defineOperation, type StepContext } from '#core/operations/operations'
import { conflict } from '#core/app_error'
import { DateTime } from 'luxon'
import { addAbortListener } from 'node:events'

export interface ImportInput {
  databaseId: number
  /**
   * Name of a file in the folder for imports or backups, or a path on the instance. A file at such a path stays
   * after the import.
   */
  file: string
  from: 'upload' | 'backup' | 'vault' | 'path'
  /** Id of the backup whose copy is downloaded to the imports folder, if `from` is `vault`. */
  backupId?: number
  filename: string
  merge: boolean
  acceptsMissingEnd?: boolean
}

/**
 * Backs up the existing data, if any, and then imports the file. A failed import leaves the database unchanged, unless
 * it fails after the engine has put the new tables into place.
 */
export const importIntoDatabaseOperation = defineOperation<ImportInput>({
  kind: 'database.import',
  queue: 'transfer',
  cancellable: true,
  steps: [
    { key: 'keep', label: 'Back up existing data', run: backUpExistingData },
    {
      key: 'import',
      label: 'Import',
      run: (input, context) => withDataLock(input.databaseId, () => bringIn(input, context)),
    },
    { key: 'tidy', label: 'Delete temporary files', run: cleanUpImport },
  ],
  async result(_input, { state }) {
    const { before, after, notes, backupId } = state
    return { before, after, notes, backup: backupId ?? null }
  },
  async failed(input, reason, { state }) {
    if (state.backupId) {
      await DatabaseBackup.query()
        .where({ id: state.backupId as number, status: 'running' })
        .update({ status: 'failed', error: reason, finishedAt: DateTime.utc().toSQL() })
    }
    await deleteImportFile(input).catch(() => {})
  },
})

async function loadServer({ databaseId }: ImportInput) {
  const database = await Database.findOrFail(databaseId)
  return { database, server: await resolveDatabaseServer(database, database.engine) }
}

const empty: DatabaseContentCounts = {
  tables: 0,
  rows: 0,
  views: 0,
  routines: 0,
  triggers: 0,
  events: 0,
}

async function backUpExistingData(
  input: ImportInput,
  { state, saveState, reportProgress, signal }: StepContext
) {
  const { database, server } = await loadServer(input)
  const { transfer } = databaseDriver(server)
  const exists = await findServerDatabase(server, database)
  // A merge imports into a copy of the backup, which lacks rows that programs write from now on. The saved states show
  // later which tables have such rows.
  if (input.merge && transfer.tableStates && !(await isBackedUp(state))) {
    await saveState('statesBefore', exists ? await transfer.tableStates(server, database.name) : {})
  }
  const before = exists ? await transfer.contents(server, database.name) : empty
  await saveState('before', before)
  if (Object.values(before).every((count) => count === 0)) return
  if (!state.backupId) {
    const backup = await DatabaseBackup.create({
      databaseId: database.id,
      accountId: database.accountId,
      reason: 'before_import',
      status: 'running',
      format: transfer.format,
    })
    await saveState('backupId', backup.id)
  }
  const backup = await DatabaseBackup.findOrFail(state.backupId as number)
  if (backup.status !== 'done') await makeBackup(backup, server, database, reportProgress, signal)
}

async function isBackedUp({ backupId }: StepContext['state']): Promise<boolean> {
  if (!backupId) return false
  const { status } = await DatabaseBackup.findOrFail(backupId as number)
  return status === 'done'
}

async function bringIn(input: ImportInput, context: StepContext) {
  const { state, saveState, reportProgress, signal, commitPoint } = context
  const { database, server } = await loadServer(input)
  if (input.from === 'vault' && !state.fetched) {
    await fetchCopy(input, server, signal)
    await saveState('fetched', true)
  }
  const backups = new DatabaseFileStore(server, 'backups')
  const shelf = input.from === 'backup' ? backups : new DatabaseFileStore(server, 'imports')
  const backup = state.backupId ? await DatabaseBackup.find(state.backupId as number) : null
  const { contents, notes } = await databaseDriver(server).transfer.import(server, database.name, {
    file: input.from === 'path' ? onInstance(server, input.file) : shelf.path(input.file),
    filename: input.filename,
    merge: input.merge,
    acceptsMissingEnd: input.acceptsMissingEnd,
    base: backup?.file ? backups.path(backup.file) : undefined,
    statesBefore: state.statesBefore as TableStates | undefined,
    memory: state,
    saveValue: saveState,
    report: reportProgress,
    signal,
    commitPoint,
  })
  await saveState('after', contents)
  const before = (backup?.notes ?? []).map((note) => `Backup made before this import: ${note}`)
  await saveState('notes', [...notes, ...before])
  // The import has succeeded, so a size that cannot be read is no error.
  const measured = await findServerDatabase(server, database).catch(() => undefined)
  const sizeBytes = measured?.sizeBytes ?? database.sizeBytes
  await database.merge({ tables: contents.tables, sizeBytes, measuredAt: DateTime.utc() }).save()
}

async function findServerDatabase(server: Server, { name }: Database) {
  const databases = await databaseDriver(server).accounts.databases(server)
  return databases.find((each) => each.name === name)
}

/** Checks that the server is on an instance. For a managed server, the path would be one on the console's machine. */
function onInstance({ instance }: Server, path: string): string {
  if (!instance)
    throw conflict('A file path cannot be imported into a managed server. Upload the file.')
  return path
}

/**
 * Downloads a copy of a backup from its vault to the server's machine.
 * @throws if the copy is incomplete or its checksum does not match
 */
async function fetchCopy({ backupId, file }: ImportInput, server: Server, signal: AbortSignal) {
  const backup = await DatabaseBackup.findOrFail(backupId)
  const { body } = await openFromDestination(backup)
  addAbortListener(signal, () => body.destroy(new Error('The import was cancelled')))
  const { digest } = await new DatabaseFileStore(server, 'imports').put(file, body)
  if (digest !== backup.digest) throw conflict(DAMAGED_COPY_MESSAGE)
}

async function cleanUpImport(input: ImportInput) {
  const { database } = await loadServer(input)
  await deleteImportFile(input)
  await deleteExpiredBackups(database)
}

async function deleteImportFile(input: ImportInput): Promise<void> {
  if (input.from !== 'upload' && input.from !== 'vault') return
  const { server } = await loadServer(input)
  await new DatabaseFileStore(server, 'imports').remove(input.file)
}
