import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { claimLock, readHome, type BerthHome } from '../berth_home.js'
import { formatDuration } from '../print.js'
import type {
  BackupJob,
  BackupJobResult,
  Retention,
  BackupTarget,
} from '../../packages/backup/contract.js'
import { DatabaseBackupSource } from './database_backup_source.js'
import { runRestoreTest } from './run_restore_test.js'
import { BackupFolder, type BaseBackup } from './backup_folder.js'
import {
  findLatestBackupPoint,
  createBackupPoint,
  type BackupProgressReporter,
  type BackupJobContext,
} from './create_backup_point.js'
import {
  BackupError,
  type FullTargetTimeouts,
  filterSnapshotsByKind,
  Restic,
  type Snapshot,
} from './restic.js'

/** Days without a successful backup after which the vault removes the bodies of deleted objects anyway. */
const MAX_HOLD_DAYS = 3

interface Doing {
  onProgress: BackupProgressReporter
  signal: AbortSignal
  /** Default: the home of this process. */
  path?: string
  waits?: FullTargetTimeouts
}

/**
 * Holds the home's backup lock. If the job is interrupted before its recovery point is complete, its backup is not
 * used, and earlier recovery points stay unchanged.
 * @throws BackupError
 */
export async function runBackupJob(
  job: Exclude<BackupJob, { job: 'instance' }>,
  { onProgress, signal, path, waits }: Doing
): Promise<BackupJobResult> {
  const home = readHome(path)
  const folder = new BackupFolder(home)
  await folder.prepare()
  return withBackupLock(folder, async () => {
    if (job.job === 'off') return turnOff(home, folder)
    const restic = openRestic(home, folder, job.target, { signal, waits })
    const work: BackupJobContext = { home, folder, restic, onProgress, signal }
    if (job.job === 'look') return look(restic)
    if (job.job === 'backup') return backUp(work, job)
    return runRestoreTest(work)
  })
}

/**
 * Matches instance names that Incus allows. It must not match a comma, because that would add tags to the restic
 * snapshot, such as those of a recovery point.
 */
const INSTANCE_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9-]{0,62}$/

/**
 * Stores the export of an instance that the worker streams. Saves nothing if the stream is incomplete.
 * @throws BackupError, for example if `name` is not a valid name of an instance
 */
export async function storeInstanceExport(
  { target, name, size, keep }: Extract<BackupJob, { job: 'instance' }>,
  stream: Readable,
  { onProgress, signal, path }: Doing
): Promise<BackupJobResult> {
  if (!INSTANCE_NAME_PATTERN.test(name)) {
    throw new BackupError('refused', `There is no instance named ${JSON.stringify(name)}`)
  }
  const home = readHome(path)
  const folder = new BackupFolder(home)
  await folder.prepare()
  return withBackupLock(folder, async () => {
    const restic = openRestic(home, folder, target, { signal })
    await restic.open({ make: false })
    const at = new Date().toISOString()
    const tags = { kind: 'instance', name, at }
    const sent = await restic.backupStream(`${name}.tar`, stream, size, tags, (bytes) =>
      onProgress(`Copying ${name}`, bytes / size)
    )
    await restic.unlock()
    await restic.forget({ kind: 'instance', name }, keep)
    return { at, bytes: sent.bytes, added: sent.added }
  })
}

export function openRestic(
  home: BerthHome,
  folder: BackupFolder,
  target: BackupTarget,
  { signal, waits }: Partial<Doing> = {}
) {
  const { backupKey: key } = home.secrets
  return new Restic({ target, key, cache: folder.cache, signal, waits })
}

/**
 * Ignores the lock of a process that was killed.
 * @throws BackupError (`busy`) if another backup is running
 */
export async function withBackupLock<T>(folder: BackupFolder, work: () => Promise<T>): Promise<T> {
  const held = claimLock(join(folder.path, 'job.pid'))
  if (typeof held === 'number') {
    throw new BackupError(
      'busy',
      `Another backup is running (process ${held}). Wait until it finishes`
    )
  }
  return work().finally(held)
}

async function look(restic: Restic): Promise<BackupJobResult> {
  const there = await restic.open({ make: true })
  return { at: findLatestBackupPoint(there)?.tags.at }
}

async function turnOff(home: BerthHome, folder: BackupFolder): Promise<BackupJobResult> {
  const database = await DatabaseBackupSource.open(home)
  try {
    await database.archiving(false)
    await database.holdNothing()
    await folder.forgetBases()
    return {}
  } finally {
    await database.close()
  }
}

async function backUp(
  work: BackupJobContext,
  job: Extract<BackupJob, { job: 'backup' }>
): Promise<BackupJobResult> {
  const { home, folder, restic, onProgress } = work
  onProgress('Opening the backup target')
  const there = await restic.open({ make: !job.keep })
  const database = await DatabaseBackupSource.open(home)
  // A manual backup without scheduled backups. At its end, WAL archiving is turned off again.
  const once = !job.keep && !database.isArchiving
  try {
    const known = await listUsableBases(work, database, there)
    if (!database.isArchiving) await database.archiving(true)
    await database.holdDeleted(MAX_HOLD_DAYS)
    const newBase =
      job.full || !known.length ? await makeBase(work, database, known.at(-1)) : undefined
    const point = await createBackupPoint(work, database, findLatestBackupPoint(there))
    if (newBase && job.keep) await folder.keepOnly(newBase.base)
    if (newBase && job.keep) await applyRetention(work, job.keep)
    if (job.keep) await database.holdDeleted(MAX_HOLD_DAYS, point.at)
    return {
      at: point.at,
      full: Boolean(newBase),
      bytes: point.sent.bytes + (newBase?.bytes ?? 0),
      added: point.sent.added + (newBase?.added ?? 0),
    }
  } finally {
    if (once) {
      await database.archiving(false).catch(() => {})
      await folder.forgetBases().catch(() => {})
      await database.holdNothing().catch(() => {})
    }
    await database.close()
  }
}

async function listUsableBases(
  { folder }: BackupJobContext,
  database: DatabaseBackupSource,
  there: Snapshot[]
): Promise<BaseBackup[]> {
  const bases = await folder.readBases()
  if (!bases.length) return []
  const ids = new Set(there.map(({ id }) => id))
  // Reuses earlier base backups only if this target contains all of their snapshots. Snapshot IDs are unique.
  const isComplete = ({ data, again }: BaseBackup) => ids.has(data) && (!again || ids.has(again))
  if (database.isArchiving && bases.every(isComplete)) return bases
  await folder.forgetBases()
  return []
}

async function makeBase(
  { restic, folder, onProgress }: BackupJobContext,
  database: DatabaseBackupSource,
  before?: BaseBackup
) {
  const started = performance.now()
  onProgress('Copying the database', 0)
  const newBase = await database.base(restic, folder, before, (share) =>
    onProgress('Copying the database', share)
  )
  onProgress(`Copied the database in ${formatDuration(performance.now() - started)}`)
  return newBase
}

/** Removes old recovery points, and the base backups that no remaining point needs. */
export async function applyRetention(
  { restic, onProgress }: Pick<BackupJobContext, 'restic' | 'onProgress'>,
  keep: Retention
) {
  onProgress('Deleting old backups')
  await restic.unlock()
  await restic.forget({ kind: 'point' }, keep)
  const there = await restic.snapshots()
  const needed = new Set(
    filterSnapshotsByKind(there, 'point').flatMap(({ tags }) => tags.data.split('+'))
  )
  const idle = filterSnapshotsByKind(there, 'data', 'again').filter(({ id }) => !needed.has(id))
  await restic.forgetThese(idle.map(({ id }) => id))
  await restic.prune()
}
