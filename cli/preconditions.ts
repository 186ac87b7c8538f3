import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CliError, findLockHolder, homePath } from './berth_home.js'
import { assertPortsFree, portsFromEnv } from './roles.js'

/** Minimum free disk space for a new home. With less, PostgreSQL cannot create its files. */
const NEW_HOME_BYTES = 1024 ** 3
const EXISTING_HOME_BYTES = 64 * 1024 ** 2

/**
 * Called before the build and before the first change to the machine.
 * @throws CliError that says how to meet a requirement of `./berth up`
 */
export async function assertCanStart(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  poolSizeOptionFromEnv(env)
  const home = homePath(env)
  const holder = findLockHolder(join(home, 'berth.pid'))
  if (holder) throw new CliError(`Berth already runs on ${home} (process ${holder})`)
  await assertDiskSpace(home, env)
  await assertPortsFree(portsFromEnv(env), env.HOST ?? '0.0.0.0')
}

/**
 * POOL_SIZE is in GiB. Without it, the size of a new storage pool depends on the free disk space.
 * @throws CliError if it is not a positive number
 */
export function poolSizeOptionFromEnv(env: NodeJS.ProcessEnv = process.env): { poolSize?: number } {
  if (!env.POOL_SIZE) return {}
  const gib = Number(env.POOL_SIZE)
  if (Number.isFinite(gib) && gib > 0) return { poolSize: gib * 1024 ** 3 }
  throw new CliError(
    `POOL_SIZE=${env.POOL_SIZE} is not a size. Set a number of GiB above 0, for example POOL_SIZE=50`
  )
}

/**
 * Checks the free disk space for a folder. If the folder does not exist, checks its nearest existing parent.
 * @param minBytes default: 1 GiB for a new home with its own PostgreSQL server, otherwise 64 MiB
 * @throws CliError if less is free
 */
export async function assertDiskSpace(
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
  minBytes?: number
): Promise<void> {
  const isNew = !existsSync(join(folder, 'secrets.json'))
  const needed = minBytes ?? (isNew && !env.DATABASE_URL ? NEW_HOME_BYTES : EXISTING_HOME_BYTES)
  const { bavail, bsize } = await statfs(findNearestExistingFolder(folder))
  const free = bavail * bsize
  if (free >= needed) return
  const sizes = `${Math.floor(free / 1024 ** 2)} MB free, ${Math.ceil(needed / 1024 ** 2)} MB needed`
  throw new CliError(
    `The disk of ${folder} is too full: ${sizes}. Free space${isNew ? ', or set BERTH_HOME' : ''}`
  )
}

export function findNearestExistingFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder
    ? folder
    : findNearestExistingFolder(dirname(folder))
}
