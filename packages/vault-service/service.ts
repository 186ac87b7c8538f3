import { mkdir, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { claimFolder, folderProblem } from './folder_marker.js'
import { acquireDatabaseLock } from './database_lock.js'
import { startRejectingServer } from './rejecting_server.js'
import { holdConnectionsUntilTakeover } from './hold_connections_until_takeover.js'
import { UsageAggregator } from './meter/usage_aggregator.js'
import { Database } from './store/database.js'
import { bodiesFolder, requestCountsFolder, spoolFolder } from './folders.js'
import {
  createSharedMemory,
  ServingThread,
  type ServingThreadOptions,
  type SharedMemory,
} from './serving_thread.js'
import { startUpkeep } from './upkeep/main.js'

export interface VaultService {
  port: number
  /** Adds all usage counted so far to the tables. Tests call it, so that they need not wait for the next second. */
  fold(): Promise<void>
  /**
   * Verifies the stored objects, unless a scrub was completed in the last 7 days. Tests call it, so that they need not
   * wait for the next hour.
   */
  scrub(): Promise<void>
  healthy(): Promise<boolean>
  stop(): Promise<void>
  /** Finishes running requests and then stops, while another process accepts new connections. */
  leave(): Promise<void>
}

export interface StartVaultServiceOptions extends ServingThreadOptions {
  /** Number of threads that serve requests, including the main thread. Default 1. */
  threads?: number
  log?: (entry: object) => void
  /** Called if the service cannot continue and must be restarted. */
  onFatal?: (why: string) => void
}

/**
 * Interval at which a running service checks that its folder still belongs to the tables. While the service rejects
 * all requests, it checks every RETRY_INTERVAL_MS.
 */
const CHECK_INTERVAL_MS = 30_000
const RETRY_INTERVAL_MS = 5_000

/**
 * The main thread serves requests and does maintenance. Other threads only serve requests. If the folder does not
 * belong to the database tables, the service responds with errors (`startRejectingServer`).
 */
export async function startVaultService(options: StartVaultServiceOptions): Promise<VaultService> {
  const { threads = 1, log = () => {}, onFatal = () => {}, ...told } = options
  const locking = new Database(told.databaseUrl, 2)
  const waitingRoom = await holdConnectionsUntilTakeover(told)
  const closeRoom = async (error: unknown) => {
    await waitingRoom.close()
    throw error
  }
  // Checks the folder first. If another service never releases the lock, the reason would otherwise never be reported.
  const problem = await folderProblem(locking, told.folder).catch(closeRoom)
  if (problem) return startRejecting(options, locking, problem, await waitingRoom.close())
  let isLocked = true
  const unlock = await acquireDatabaseLock(locking, () => {
    isLocked = false
    onFatal('the lock at the database was lost')
  }).catch(closeRoom)
  const lateProblem = await claimFolder(locking, told.folder).catch(closeRoom)
  if (lateProblem) {
    await unlock()
    return startRejecting(options, locking, lateProblem, await waitingRoom.close())
  }
  await mkdir(bodiesFolder(told.folder), { recursive: true, mode: 0o700 })
  // Removes bodies that a crashed process did not finish uploading to a bucket.
  await rm(spoolFolder(told.folder), { recursive: true, force: true })
  await mkdir(spoolFolder(told.folder), { mode: 0o700 })
  const shared = createSharedMemory()
  const counting = new Database(told.databaseUrl, 1)
  const fold = new UsageAggregator(counting, requestCountsFolder(told.folder), log)
  await fold.begin()
  const serving = new ServingThread(told, shared, log)
  const upkeep = startUpkeep(serving, fold)
  await upkeep.now('fold')
  const port = await serving.listen()
  for (const socket of await waitingRoom.close()) serving.take(socket)
  const workers = await Promise.all(
    Array.from({ length: threads - 1 }, () => startThread(told, shared, port, log, onFatal))
  )

  // Checks the folder regularly. If the disk was unmounted, the service must not write into the empty mount point.
  const looking = setInterval(() => {
    folderProblem(locking, told.folder).then(
      (newProblem) => newProblem && onFatal(newProblem),
      () => {}
    )
  }, CHECK_INTERVAL_MS)
  looking.unref()

  const end = async (how: 'stop' | 'leave') => {
    clearInterval(looking)
    // Stops serving in parallel, so that no new requests arrive while a running maintenance task finishes.
    const maintenance = upkeep.stop()
    const own = how === 'leave' ? serving.leave(maintenance) : serving.close(maintenance)
    await Promise.all([own, ...workers.map((stop) => stop(how))])
    await fold.run().catch((error: Error) =>
      log({
        level: 40,
        msg: 'the last requests are not counted yet; the next start counts them',
        err: error.message,
      })
    )
    await counting.close()
    // Writes a new mark before it releases the lock, so that a copy of the folder that was made earlier is rejected.
    if (isLocked) {
      await claimFolder(locking, told.folder).catch((error: Error) =>
        log({ level: 40, msg: 'the folder could not be marked', err: error.message })
      )
    }
    await unlock()
    await locking.close()
  }
  return {
    port,
    fold: () => upkeep.now('fold'),
    scrub: () => upkeep.now('scrub'),
    healthy: () => serving.healthy(),
    stop: () => end('stop'),
    leave: () => end('leave'),
  }
}

/**
 * Responds with errors while the folder is wrong or missing. Once the folder is right, calls `onFatal`, so that the
 * service restarts.
 */
async function startRejecting(
  { host, port, folder, log = () => {}, onFatal = () => {} }: StartVaultServiceOptions,
  database: Database,
  problem: string,
  waiting: Socket[] = []
): Promise<VaultService> {
  log({ level: 50, msg: 'vaults are not served', err: problem })
  const server = await startRejectingServer({ host, port }, problem, waiting)
  const looking = setInterval(() => {
    folderProblem(database, folder).then(
      (remainingProblem) =>
        remainingProblem || onFatal('the folder is usable again, so the service restarts'),
      () => {}
    )
  }, RETRY_INTERVAL_MS)
  const end = async () => {
    clearInterval(looking)
    await server.stop()
    await database.close()
  }
  return {
    port: server.port,
    fold: async () => {},
    scrub: async () => {},
    healthy: async () => false,
    stop: end,
    leave: end,
  }
}

async function startThread(
  options: ServingThreadOptions,
  shared: SharedMemory,
  port: number,
  log: (entry: object) => void,
  onFatal: (why: string) => void
): Promise<(how: 'stop' | 'leave') => Promise<void>> {
  const entry = new URL(`./serving_thread_entry${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(entry, { workerData: { options, shared, port } })
  let stopping = false
  const ended = new Promise<void>((done) => worker.once('exit', () => done()))
  await new Promise<void>((ready, failed) => {
    worker.on('message', (message: { ready?: true; log?: object }) => {
      if (message.log) log(message.log)
      if (message.ready) ready()
    })
    worker.once('error', failed)
    worker.once('exit', () => failed(new Error('A thread of the vault service ended at its start')))
  })
  // A thread that crashes loses its running requests. So the whole service restarts, which makes the crash visible.
  worker.on('error', (error: Error) =>
    log({ level: 50, msg: 'vault thread failed', err: error.stack })
  )
  worker.once('exit', () => {
    if (!stopping) onFatal('a thread ended')
  })
  return async (how) => {
    stopping = true
    worker.postMessage(how)
    await ended
  }
}
