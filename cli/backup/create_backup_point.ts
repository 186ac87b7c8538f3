import { randomUUID } from 'node:crypto'
import type { BerthHome } from '../berth_home.js'
import type { DatabaseBackupSource } from './database_backup_source.js'
import type { BackupFolder } from './backup_folder.js'
import type { Restic, SnapshotSummary, Snapshot } from './restic.js'

export type BackupProgressReporter = (note: string, share?: number) => void

export interface BackupJobContext {
  home: BerthHome
  folder: BackupFolder
  restic: Restic
  onProgress: BackupProgressReporter
  signal: AbortSignal
}

export interface BackupPoint {
  /** Time of the database server's clock before the point's files were read. */
  at: string
  name: string
  sent: SnapshotSummary
}

/**
 * Creates a recovery point: archives the WAL, then backs up all files. The vault writes a file before the database
 * refers to it. It deletes a file only after the next recovery point, unless its disk is almost full. So the backup
 * contains every file to which the database refers at the time `at`.
 * @param before the previous recovery point. Files that have not changed since then are not read again
 */
export async function createBackupPoint(
  { home, folder, restic, onProgress }: Omit<BackupJobContext, 'signal'>,
  database: DatabaseBackupSource,
  before: Snapshot | undefined,
  marked = database.mark(`berth-${randomUUID()}`)
): Promise<BackupPoint> {
  onProgress('Archiving the write-ahead log of the database')
  const { moment, last } = await marked
  await database.piece(folder, last)
  const bases = await folder.readBases()
  const data = bases.flatMap((base) => [base.data, base.again ?? []].flat())
  const tags = {
    kind: 'point',
    at: moment.at,
    name: moment.name,
    data: data.join('+'),
    ready: bases[0].ready,
  }
  onProgress('Copying files', 0)
  const sent = await restic.backup(home.path, folder.paths(), {
    tags,
    parent: before?.id,
    mayVanish: true,
    onProgress: (share) => onProgress('Copying files', share),
  })
  return { ...moment, sent }
}

export function findLatestBackupPoint(there: Snapshot[]): Snapshot | undefined {
  return there.findLast(({ tags }) => tags.kind === 'point')
}
