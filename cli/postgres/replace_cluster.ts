import { existsSync } from 'node:fs'
import { realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError, type BerthHome } from '../berth_home.js'
import {
  CLUSTER_FOLDER_NAME,
  NEW_CLUSTER_FOLDER_NAME,
  OLD_CLUSTER_FOLDER_NAME,
  READY_CLUSTER_FOLDER_NAME,
  finishReplacingCluster,
  lstatIfExists,
} from './cluster_folder.js'
import { externalServerFile, readExternalServer } from './external_server.js'
import { print } from '../print.js'
import { syncPath } from '../sync_path.js'
import { ensureDistributionPrograms, findLinkedPrograms } from './programs.js'
import { preparePostgresServer, startPostgresServer } from './server.js'

/**
 * Starts a new server with the distribution's programs, in a folder next to the home's current data.
 * @throws CliError if the home's server already uses these programs, or the data of an earlier move still exists
 */
export async function startReplacementServer(home: BerthHome): Promise<{
  port: number
  folder: string
  stop(): Promise<void>
  remove(): Promise<void>
}> {
  const programs = await ensureDistributionPrograms()
  const present = await findLinkedPrograms(join(home.path, CLUSTER_FOLDER_NAME))
  if (present === programs && !readExternalServer(home))
    throw new CliError(`The database already runs on ${programs}`)
  assertCanReplaceCluster(home)
  const remove = async () => {
    for (const name of [NEW_CLUSTER_FOLDER_NAME, READY_CLUSTER_FOLDER_NAME]) {
      const link = join(home.path, name)
      for (const path of [await realpath(link).catch(() => link), link])
        await rm(path, { recursive: true, force: true })
    }
  }
  // Removes the data of an interrupted move.
  await remove()
  const server = await preparePostgresServer(home, {
    folderName: NEW_CLUSTER_FOLDER_NAME,
    programs,
  })
  const started = await startPostgresServer(server).catch(async (error: Error) => {
    await remove()
    throw error
  })
  return { port: started.port, folder: server.clusterFolder, stop: started.stop, remove }
}

/**
 * Replaces the old server's data by the new data. Both servers must be stopped. The old data stays in `postgres-old`;
 * after a failure, it stays in use.
 */
export async function replaceCluster(home: BerthHome): Promise<void> {
  const at = (name: string) => join(home.path, name)
  const link = at(CLUSTER_FOLDER_NAME)
  const old = at(OLD_CLUSTER_FOLDER_NAME)
  if (await lstatIfExists(at(NEW_CLUSTER_FOLDER_NAME)))
    await rename(at(NEW_CLUSTER_FOLDER_NAME), at(READY_CLUSTER_FOLDER_NAME))
  if (!(await lstatIfExists(at(READY_CLUSTER_FOLDER_NAME))))
    throw new Error('The folder with the new data is missing')
  const isReplacing = await lstatIfExists(link)
  if (isReplacing) await rename(link, old)
  try {
    await finishReplacingCluster(home)
  } catch (error) {
    if (isReplacing) await rename(old, link)
    throw error
  }
  // Syncs before the first write to the new data. Otherwise, the old data could return after a power failure.
  await syncOrWarn(home.path)
  // Turns WAL archiving off in the old data. If the tables are moved back later, backups must not continue with WAL
  // from before the move.
  await rm(join(old, 'archive/on'), { force: true })
  await rm(externalServerFile(home), { force: true })
  await syncOrWarn(home.path)
}

/** After a failure, only prints a warning, because the new data is already in use. */
async function syncOrWarn(path: string): Promise<void> {
  await syncPath(path).catch(({ message }: Error) =>
    print(
      `${path} could not be written to the disk: ${message}. Check the disk, then run: sync. Until then, a power failure can bring the old data back`
    )
  )
}

/** @throws CliError if data of an earlier move still exists */
export function assertCanReplaceCluster(home: BerthHome): void {
  const old = join(home.path, OLD_CLUSTER_FOLDER_NAME)
  if (!existsSync(old)) return
  throw new CliError(`${old} has the data from before the last move. Delete or rename it first`)
}
