import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupTarget } from '../../packages/backup/contract.js'
import { ensureSystemUser, findSystemUser } from '../system_users.js'
import {
  claimHome,
  CliError,
  homePath,
  openHome,
  StateFile,
  writePrivateJson,
} from '../berth_home.js'
import { ensurePrograms } from '../postgres/programs.js'
import { isServerRunning, prepareClusterForRestore } from '../postgres/server.js'
import { recoverPostgresCluster } from '../postgres/recover_cluster.js'
import { runOrThrow } from '../run_program.js'
import type { Secrets } from '../berth_home.js'
import { SETTINGS_COPY_NAME } from '../service/settings_file.js'
import {
  assertTimeInBackups,
  chooseBackupPoint,
  fetchReadyTime,
  filterBackupPoints,
  restoreFromPoint,
} from './restore_from_point.js'
import { Restic } from './restic.js'
import { skipUsedIds } from './skip_used_ids.js'

export interface RestoreHomeOptions {
  target: BackupTarget
  key: string
  /** Default: the newest recovery point. */
  at?: Date
  /** Moves existing data aside. If false, existing data is an error. */
  replace: boolean
  path?: string
  onProgress(note: string): void
}

export interface RestoreHomeResult {
  at: string
  home: string
  aside?: string
}

const HOME_DATA_PATHS = [
  'secrets.json',
  'first-admin.json',
  'state.json',
  SETTINGS_COPY_NAME,
  'postgres',
  'postgres-new',
  'postgres-ready',
  'database.json',
  'vault',
  'mail',
  'edge',
]
export const UNFINISHED_RESTORE_MARKER = 'restore-unfinished'

/**
 * If a restore is interrupted, call this function again. Until it is complete, `./berth up` does not start.
 * @throws CliError if the home has data or Berth runs. BackupError for a wrong key, or a target without backups
 */
export async function restoreHome(options: RestoreHomeOptions): Promise<RestoreHomeResult> {
  const { target, key, at, onProgress, path = homePath() } = options
  await mkdir(path, { recursive: true, mode: 0o711 })
  const release = claimHome(path)
  const staging = join(path, 'restoring')
  try {
    assertMayRestore(path, options.replace)
    assertIsStopped(path)
    // No data changes before `putAside`.
    const restic = new Restic({ target, key, cache: join(path, 'restic-cache') })
    const there = await restic.open({ make: false })
    const point = chooseBackupPoint(filterBackupPoints(there), at)
    if (at) await assertTimeInBackups(there, point, at, (one) => fetchReadyTime(restic, one))
    const aside = await putAside(path)
    await writeFile(join(path, UNFINISHED_RESTORE_MARKER), '')
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { mode: 0o700 })

    const home = await openHome(path)
    const cluster = await prepareClusterForRestore(home)
    const { wal, target: to } = await restoreFromPoint(
      restic,
      { point, at, to: staging, cluster },
      onProgress
    )
    // The PostgreSQL programs must have the same major version as the data in the backup.
    cluster.native = await ensurePrograms(cluster.clusterFolder, cluster.account)
    if (cluster.account) await own(join(cluster.clusterFolder, 'data'), 'berth-postgres')
    onProgress('Restoring the database to that point in time')
    const secrets = JSON.parse(await readFile(join(staging, 'secrets.json'), 'utf8')) as Secrets
    const log = join(home.logs, 'postgres.log')
    const readable = await walFor(cluster, wal)
    const server = await recoverPostgresCluster(cluster, {
      wal: readable,
      target: to,
      password: secrets.databaseSuperuser,
      log,
    })
    await skipUsedIds(server.url)
    await server.stop()
    await rm(readable, { recursive: true, force: true })

    for (const name of ['vault', 'mail', 'edge', 'first-admin.json', SETTINGS_COPY_NAME]) {
      if (existsSync(join(staging, name))) await rename(join(staging, name), join(path, name))
    }
    if (process.getuid?.() === 0) {
      for (const name of ['vault', 'mail', 'edge']) {
        if (existsSync(join(path, name))) await own(join(path, name), `berth-${name}`)
      }
    }
    await writePrivateJson(join(path, 'secrets.json'), secrets)
    await keepMachine(path, staging)
    if (aside) keepIncusFolder(path, aside)
    await rm(join(path, UNFINISHED_RESTORE_MARKER))
    return { at: at?.toISOString() ?? point.tags.at, home: path, aside }
  } finally {
    await rm(staging, { recursive: true, force: true })
    await rm(join(path, 'restic-cache'), { recursive: true, force: true })
    release()
  }
}

function assertMayRestore(path: string, replace: boolean): void {
  if (replace || existsSync(join(path, UNFINISHED_RESTORE_MARKER))) return
  const existing = HOME_DATA_PATHS.filter(
    (name) => name !== 'state.json' && existsSync(join(path, name))
  )
  if (!existing.length) return
  throw new CliError(
    `${path} has data already (${existing.join(', ')}). Nothing was changed. Restore into another home (BERTH_HOME=…), or move the existing data aside with --replace`
  )
}

/** Checks the database, because all of Berth's processes need it. `claimHome` would not notice systemd services. */
function assertIsStopped(path: string): void {
  if (!isServerRunning(join(path, 'postgres', 'data'))) return
  throw new CliError(
    `Berth runs and uses the database in ${path}. Nothing was changed. Stop it first: systemctl stop 'berth-*' berth.target`
  )
}

/**
 * Moves existing data aside and deletes the local backup folder. If a restore was incomplete, deletes its data instead.
 */
async function putAside(path: string): Promise<string | undefined> {
  const existing = HOME_DATA_PATHS.filter((name) => existsSync(join(path, name)))
  if (existsSync(join(path, UNFINISHED_RESTORE_MARKER))) {
    for (const name of existing) {
      const inside = name === 'postgres' ? join(path, name, 'data') : join(path, name)
      await rm(inside, { recursive: true, force: true })
    }
    return undefined
  }
  if (!existing.length) return undefined
  const aside = join(path, `before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
  await mkdir(aside, { mode: 0o700 })
  for (const name of existing) await rename(join(path, name), join(aside, name))
  await rm(join(path, 'backup', 'own'), { recursive: true, force: true })
  return aside
}

/** Copies the WAL files to a folder that the database's system user can read. */
async function walFor(
  { clusterFolder, account }: { clusterFolder: string; account?: { uid: number; gid: number } },
  wal: string
): Promise<string> {
  const to = join(clusterFolder, 'restored-log')
  await rm(to, { recursive: true, force: true })
  await runOrThrow(['cp', '-r', '--', wal, to])
  if (account) await own(to, 'berth-postgres')
  return to
}

/** Makes this machine's user with this name the owner, because user IDs differ between machines. */
async function own(path: string, name: string): Promise<void> {
  const { uid, gid } = findSystemUser(name) ?? (await ensureSystemUser(name))
  await runOrThrow(['chown', '-R', '--no-dereference', `${uid}:${gid}`, '--', path])
}

/**
 * Restores the ID of the backed-up machine, because hosts and domains in the database are linked to it. The backup's
 * other state is not restored.
 */
async function keepMachine(path: string, staging: string): Promise<void> {
  const machine = new StateFile(staging).get('machine')
  if (machine) new StateFile(path).set('machine', machine)
}

/** Keeps the path of this machine's Incus folder, because the backup may contain that of another machine. */
function keepIncusFolder(path: string, aside: string): void {
  const folder = new StateFile(aside).get('incusPlace')
  if (folder) new StateFile(path).set('incusPlace', folder)
}
