import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, realpath, rename, rm, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { BerthHome } from '../berth_home.js'
import { runProgram, withParentDeathSignal } from '../run_program.js'
import { ensureSystemUser, findSystemUser, type SystemUser } from '../system_users.js'
import { localDatabaseUrl } from './connections.js'
import {
  PROGRAMS_LINK_NAME,
  ensureEmbeddedPrograms,
  fallbackPostgresDataPath,
  findLinkedPrograms,
  findEmbeddedPrograms,
} from './programs.js'

export interface PostgresCluster {
  /** Contains `data/`, `archive/` and possibly `PROGRAMS_LINK_NAME`. */
  clusterFolder: string
  native: string
  account?: SystemUser
  /** URL of the superuser. Undefined while the server does not run. */
  url?: string
}

export const POSTGRES_SYSTEM_USER = 'berth-postgres'

/** System user that runs backups. It removes archived WAL files (docs/decisions/0047). */
export const BACKUP_SYSTEM_USER = 'berth-backup'
export const CLUSTER_FOLDER_NAME = 'postgres'

/** Folder into which `./berth database move --to system` copies the tables. */
export const NEW_CLUSTER_FOLDER_NAME = 'postgres-new'

/** Name of that folder after the copy is complete. */
export const READY_CLUSTER_FOLDER_NAME = 'postgres-ready'
export const OLD_CLUSTER_FOLDER_NAME = 'postgres-old'

export function usesEmbeddedPrograms(home: BerthHome): boolean {
  const link = join(home.path, CLUSTER_FOLDER_NAME, PROGRAMS_LINK_NAME)
  return !lstatSync(link, { throwIfNoEntry: false })
}

/** The server archives its WAL there while backups are on. Backups move these files to the backup folder. */
export async function ensureArchive(clusterFolder: string, account?: SystemUser): Promise<void> {
  const archive = join(clusterFolder, 'archive')
  await mkdir(archive, { recursive: true, mode: 0o700 })
  if (!account) return
  const { gid } = await ensureSystemUser(BACKUP_SYSTEM_USER)
  await chown(archive, account.uid, gid)
  await chmod(archive, 0o2770)
}

export async function inspectPostgresCluster(home: BerthHome): Promise<PostgresCluster> {
  const clusterFolder = await realpath(join(home.path, 'postgres'))
  const account = process.getuid?.() === 0 ? findSystemUser(POSTGRES_SYSTEM_USER) : undefined
  const running = readPostmasterFile(join(clusterFolder, 'data'))
  return {
    clusterFolder,
    account,
    native:
      (await findLinkedPrograms(clusterFolder)) ??
      (account ? await ensureEmbeddedPrograms(account) : await findEmbeddedPrograms()),
    ...(running?.port && {
      url: localDatabaseUrl('postgres', home.secrets.databaseSuperuser, running.port, 'berth'),
    }),
  }
}

/** If the server's system user cannot enter the home, creates the folder elsewhere, with a link in the home. */
export async function ensureClusterFolder(
  home: BerthHome,
  name: string,
  account?: SystemUser
): Promise<string> {
  const link = join(home.path, name)
  if (name === CLUSTER_FOLDER_NAME) await finishReplacingCluster(home)
  if (existsSync(link)) return realpath(link)
  // The link exists, but its target was deleted, and with it the data.
  if (await lstatIfExists(link)) await unlink(link)
  await makeOwnedFolder(link, account)
  if (!account) return link
  const reachable = await runProgram(withParentDeathSignal(['test', '-w', link], 'TERM', account), {
    cwd: '/',
  })
  if (reachable.code === 0) return link
  const folder = join(fallbackPostgresDataPath, randomBytes(6).toString('hex'))
  await mkdir(fallbackPostgresDataPath, { recursive: true, mode: 0o711 })
  await makeOwnedFolder(folder, account)
  await rm(link, { recursive: true })
  await symlink(folder, link)
  return folder
}

/**
 * Completes a call of `replaceCluster` that was interrupted after it had renamed the old data, but not the new data.
 */
export async function finishReplacingCluster(home: BerthHome): Promise<void> {
  const link = join(home.path, CLUSTER_FOLDER_NAME)
  const ready = join(home.path, READY_CLUSTER_FOLDER_NAME)
  if (!(await lstatIfExists(link)) && (await lstatIfExists(ready))) await rename(ready, link)
}

export const lstatIfExists = (path: string) => lstat(path).catch(() => undefined)

async function makeOwnedFolder(path: string, account?: SystemUser): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (account) await chown(path, account.uid, account.gid)
}

export function readPostmasterFile(data: string): { pid: number; port: number } | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]) }
  } catch {
    return undefined
  }
}

/** Undefined if the home has no PostgreSQL server of its own. */
export async function findRealPostgresFolder(home: string): Promise<string | undefined> {
  return realpath(join(home, 'postgres')).catch(() => undefined)
}
