import { randomUUID } from 'node:crypto'
import type { BerthHome } from '../berth_home.js'
import type { DatabaseBackupSource } from './database_backup_source.js'
import type { BackupFolder } from './backup_folder.js'
import type { Restic, SnapshotSummary, Snapshot } from './restic.js'

export type BackupProgressReporter = (note: string, share?: number) => void

/** What a job has at hand. */
export interface BackupJobContext {
  home: BerthHome
  folder: BackupFolder
  restic: Restic
  onProgress: BackupProgressReporter
  signal: AbortSignal
}

export interface BackupPoint {
  /** By the clock of the database; the files were read after it. */
  at: string
  name: string
  sent: SnapshotSummary
}

/**
 * Everything as it was acknowledged at a moment: the log up to it, then all files. A file of a vault is written
 * before it is named and goes after it is deleted and a point has passed, so that what the database names at
 * that moment is among the files that are read after it.
 * @param before the point whose files need not be read again where they did not change
 */
export async function createBackupPoint(
  { home, folder, restic, onProgress }: Omit<BackupJobContext, 'signal'>,
  database: DatabaseBackupSource,
  before: Snapshot | undefined,
  marked = database.mark(`berth-${randomUUID()}`)
): Promise<BackupPoint> {
  onProgress('Archiving the log of the database')
  const { moment, last } = await marked
  await database.piece(folder, last)
  const bases = await folder.readBases()
  const data = bases.flatMap((base) => [base.data, base.again ?? []].flat())
  const tags = { kind: 'point', at: moment.at, name: moment.name, data: data.join('+') }
  onProgress('Copying files', 0)
  const sent = await restic.backup(home.path, folder.paths(), {
    tags,
    parent: before?.id,
    mayVanish: true,
    onProgress: (share) => onProgress('Copying files', share),
  })
  return { ...moment, sent }
}

/** The point that was made last of what is at the target. */
export function findLatestBackupPoint(there: Snapshot[]): Snapshot | undefined {
  return there.findLast(({ tags }) => tags.kind === 'point')
}
