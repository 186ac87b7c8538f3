import { mkdir, rename, rm, writeFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostgresCluster, RecoveryTarget } from '../postgres.js'
import { readBaseBackups, type BaseBackup } from './backup_folder.js'
import { BackupError, filterSnapshotsByKind, type Restic, type Snapshot } from './restic.js'

/** All points among what is at a target, oldest first. */
export function filterBackupPoints(there: Snapshot[]): Snapshot[] {
  return filterSnapshotsByKind(there, 'point').sort((one, other) =>
    one.tags.at.localeCompare(other.tags.at)
  )
}

/**
 * The point by which a time can be had: the first one after it, whose files hold all that the database names at
 * any time before; the newest one where no time is asked for.
 * @throws BackupError with the times that there are
 */
export function chooseBackupPoint(points: Snapshot[], at?: Date): Snapshot {
  const newest = points.at(-1)
  if (!newest)
    throw new BackupError(
      'none',
      'There is no complete backup at this target. Run a full backup first'
    )
  if (!at) return newest
  const match = points.find(({ tags }) => new Date(tags.at) >= at)
  if (match) return match
  throw new BackupError(
    'none',
    `The newest backup is of ${newest.tags.at}, which is before ${at.toISOString()}`
  )
}

/**
 * Restores a point: its files into a folder, and the copy of the database that leads to the time into `data/` of a
 * cluster, ready for `recoverPostgresCluster`. Both must be empty.
 * @returns the version of PostgreSQL that made it, where the log is, and up to where it is to be followed
 */
export async function restoreFromPoint(
  restic: Restic,
  { point, at, to, cluster }: { point: Snapshot; at?: Date; to: string; cluster: PostgresCluster },
  onProgress: (note: string) => void
): Promise<{ wal: string; target: RecoveryTarget; postgres: string }> {
  onProgress('Fetching files')
  await restic.restore(point.id, to)
  const own = join(to, 'backup/own')
  const base = chooseBase(await readBaseBackups(join(own, 'bases')), point, at)
  onProgress('Fetching the database')
  const draft = join(cluster.clusterFolder, 'restoring')
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  await restic.restore(base.data, draft)
  if (base.again) await restic.restore(base.again, draft)
  const baseFolder = join(own, 'bases', base.id)
  const data = join(draft, 'data')
  await writeFile(join(data, 'backup_label'), await readFile(join(baseFolder, 'backup_label')))
  await writeFile(join(data, 'global/pg_control'), await readFile(join(baseFolder, 'pg_control')), {
    mode: 0o600,
  })
  await writeFile(join(data, 'recovery.signal'), '')
  await rename(data, join(cluster.clusterFolder, 'data'))
  await rm(draft, { recursive: true, force: true })
  return {
    wal: join(own, 'wal'),
    target: at ? { time: at.toISOString() } : { name: point.tags.name },
    postgres: base.postgres,
  }
}

function chooseBase(bases: BaseBackup[], point: Snapshot, at?: Date): BaseBackup {
  const latestBase = bases.findLast(
    ({ ready }) => new Date(ready) <= (at ?? new Date(point.tags.at))
  )
  if (latestBase) return latestBase
  throw new BackupError(
    'none',
    `The backups can restore only ${bases[0]?.ready ?? 'no time'} and later, not ${at?.toISOString()}`
  )
}
