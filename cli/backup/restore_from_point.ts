import { mkdir, mkdtemp, rename, rm, writeFile, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAMS_LINK_NAME } from '../postgres/programs.js'
import type { PostgresCluster } from '../postgres/cluster_folder.js'
import type { RecoveryTarget } from '../postgres/recover_cluster.js'
import { pathExists, readBaseBackups, type BaseBackup } from './backup_folder.js'
import { BackupError, filterSnapshotsByKind, type Restic, type Snapshot } from './restic.js'

/** Oldest first. */
export function filterBackupPoints(there: Snapshot[]): Snapshot[] {
  return filterSnapshotsByKind(there, 'point').sort((one, other) =>
    one.tags.at.localeCompare(other.tags.at)
  )
}

/**
 * Chooses the first recovery point at or after `at`, because it contains all files to which the database referred at
 * that time. Default: the newest point.
 * @throws BackupError with the time of the newest backup if there is none
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
 * Returns the earliest time to which a recovery point can restore the database; null if it contains no base backup.
 * Reads it from the record of the oldest base backup, because points of earlier releases have no tag with this time.
 */
export async function fetchReadyTime(restic: Restic, point: Snapshot): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-restore-'))
  try {
    await restic.restore(point.id, folder, '/backup/own/bases')
    const [oldest] = await readBaseBackups(join(folder, 'backup/own/bases'))
    return oldest?.ready ?? null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Checks, before the restore changes anything, that the oldest base backup of the recovery point was complete at the
 * requested time. After `./berth database move`, times between the last point and the next full backup cannot be
 * restored, because the old server's WAL ends at that point.
 * @param there all snapshots of the target
 * @param fetchReady like `fetchReadyTime`
 * @throws BackupError with the nearest times that can be restored
 */
export async function assertTimeInBackups(
  there: Snapshot[],
  point: Snapshot,
  at: Date,
  fetchReady: (point: Snapshot) => Promise<string | null>
): Promise<void> {
  const isAfter = (ready: string | number) => at.getTime() >= new Date(ready).getTime()
  let { ready } = point.tags
  if (ready && isAfter(ready)) return
  if (!ready && isAfter(findCopyBeginning(there, point))) {
    ready = (await fetchReady(point)) ?? point.tags.at
    if (isAfter(ready)) return
  }
  const previousPoint = filterBackupPoints(there).findLast(({ tags }) => new Date(tags.at) < at)
  const before = previousPoint ? `${previousPoint.tags.at} or earlier, or ` : ''
  const reason = previousPoint
    ? '. A move of the database and a pause of the backups leave such a gap'
    : ''
  throw new BackupError(
    'none',
    `The backups do not contain ${at.toISOString()}${reason}. Choose ${before}${ready ?? point.tags.at} or later. Nothing was changed`
  )
}

/**
 * Returns the time in milliseconds at which the oldest base backup of a recovery point started; 0 if it is missing. It
 * was complete only later.
 */
function findCopyBeginning(there: Snapshot[], { tags }: Snapshot): number {
  const copies = tags.data.split('+')
  const begins = filterSnapshotsByKind(there, 'data').filter(({ id }) => copies.includes(id))
  if (begins.length === 0) return 0
  return Math.min(...begins.map(({ time }) => new Date(time).getTime()))
}

/**
 * Restores the files of a recovery point into the empty folder `to`. Restores its latest suitable base backup into the
 * cluster's folder `data/`, which must not exist yet. Then call `recoverPostgresCluster`.
 * @returns the folder of the WAL files, the target of the recovery and the version of PostgreSQL
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
  const link = join(cluster.clusterFolder, PROGRAMS_LINK_NAME)
  await rm(link, { force: true })
  const programs = join(draft, PROGRAMS_LINK_NAME)
  if (pathExists(programs)) await rename(programs, link)
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
