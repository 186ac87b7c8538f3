import Backup from '#backups/models/backup'
import type { BackupKind } from '#backups/statuses'
import { loadBackupSettings, loadBackupTarget } from '#backups/backup_settings'
import { cannotBackUp, NO_TARGET_MESSAGE } from '#backups/errors'
import { publish } from '#core/live/live_events'
import { requestBackupJob, BackupRequestError } from '#packages/backup/client'
import type { BackupJob, BackupJobResult } from '#packages/backup/contract'
import env from '#start/env'
import { DateTime } from 'luxon'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

export function backupSocketPath(): string {
  return join(env.get('BERTH_HOME'), 'backup', 'door', 'socket')
}

export interface BackupRunContext {
  reportProgress?(note: string, share?: number): void
  signal: AbortSignal
  operationId?: string
}

const PROGRESS_INTERVAL_MS = 1_000

/**
 * Records the result, unless the job fails with code `busy` before its first progress message.
 * @throws 409 if no target is set; BackupRequestError with the reason. Code `busy`: usually, another job is
 *   running.
 */
export async function runBackupOrRestoreTest(
  kind: Exclude<BackupKind, 'instance'>,
  running: BackupRunContext
): Promise<Backup> {
  const [plan, target] = await Promise.all([loadBackupSettings(), loadBackupTarget()])
  if (!plan || !target) throw cannotBackUp(NO_TARGET_MESSAGE)
  const job: BackupJob =
    kind === 'drill'
      ? { job: 'drill', target }
      : { job: 'backup', target, full: kind === 'full', keep: plan.keep }
  return runRecordedBackupJob({ kind, operationId: running.operationId ?? null }, job, running)
}

export async function runRecordedBackupJob(
  backupDetails: Pick<Backup, 'kind' | 'operationId'> &
    Partial<Pick<Backup, 'systemId' | 'serverInstanceId'>>,
  job: BackupJob,
  { reportProgress, signal }: BackupRunContext,
  body?: Readable
): Promise<Backup> {
  const row = new Backup()
  row.merge({ ...backupDetails, status: 'running', startedAt: DateTime.utc() })
  const note = notesFromRow(row)
  try {
    const outcome = await requestBackupJob(backupSocketPath(), job, {
      signal,
      body,
      onProgress(message, share) {
        note.take(message, share)
        reportProgress?.(message, share)
      },
    })
    await note.end()
    return await saveSuccess(row, outcome)
  } catch (error) {
    await note.end()
    // `busy` usually means that the job never started, so nothing is recorded. If a row was saved, the job had already
    // started. Then `busy` is recorded as a failure, like all other errors.
    const left = error instanceof BackupRequestError && error.code === 'busy'
    if (!left || row.$isPersisted)
      await saveFailure(row, signal.aborted ? 'Interrupted' : backupErrorMessage(error))
    throw error
  }
}

/**
 * Returns functions that save progress in the row, one write at a time. The first message means that the job has
 * started.
 */
function notesFromRow(row: Backup) {
  let written = 0
  let writing: Promise<unknown> = Promise.resolve()
  return {
    take(note: string, share?: number) {
      if (Date.now() - written < PROGRESS_INTERVAL_MS && row.note === note) return
      const isFirst = written === 0
      written = Date.now()
      row.note = note
      row.share = share ?? null
      writing = writing.then(async () => {
        await row.save()
        // The service runs one job at a time, so any other row with status `running` belongs to a
        // killed process.
        if (isFirst) await endInterrupted(row.id)
        await publish('backup')
      })
    },
    end: () => writing,
  }
}

async function endInterrupted(id: number): Promise<void> {
  await Backup.query()
    .where('status', 'running')
    .whereNot('id', id)
    .update({ status: 'failed', error: 'Interrupted', endedAt: DateTime.utc().toSQL() })
}

async function saveSuccess(row: Backup, outcome: BackupJobResult): Promise<Backup> {
  const { at, full, bytes, added, tables, rows, objects, secrets, notes = [] } = outcome
  row.merge({
    status: 'done',
    endedAt: DateTime.utc(),
    note: null,
    share: null,
    kind: full && row.kind === 'point' ? 'full' : row.kind,
    at: at ? DateTime.fromISO(at) : null,
    bytes: bytes ?? null,
    added: added ?? null,
    facts:
      row.kind === 'drill'
        ? {
            tables: tables ?? 0,
            rows: rows ?? 0,
            objects: objects ?? 0,
            secrets: secrets ?? 0,
            notes,
          }
        : null,
  })
  await row.save()
  await publish('backup')
  return row
}

async function saveFailure(row: Backup, error: string): Promise<void> {
  row.merge({ status: 'failed', endedAt: DateTime.utc(), note: null, share: null, error })
  await row.save()
  await publish('backup')
}

export function backupErrorMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1_000)
}
