import {
  AUTORESTART_CONFIG_KEY,
  isIsolated,
  ensureIsolation,
} from '#instances/containers/isolation'
import { withTemporaryDiskSpace } from '#instances/containers/limits'
import {
  type Incus,
  isIncusError,
  TMPFS_LIMIT_FILES,
  powerOff,
  type PowerOffOptions,
  powerOn,
  TMPFS_PROGRAM_PATH,
  nullIfNotFound,
} from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Config key: the version of `TMPFS_LIMIT_FILES` that the instance has. */
const FILES_VERSION_KEY = 'user.berth.files'
const FILES_VERSION = '1'
/** Config of an instance whose image already contains the current `TMPFS_LIMIT_FILES`. */
export const TMPFS_LIMIT_FILES_VERSION_CONFIG: Record<string, string> = {
  [FILES_VERSION_KEY]: FILES_VERSION,
}

/** To let an instance with a full disk start, its disk may exceed the quota by this many bytes. */
const START_ALLOWANCE_BYTES = 512 * 1024 ** 2

/**
 * Starts the container, also if its disk is full. First adds isolation settings that a restored, moved or older
 * instance lacks.
 * @param quota disk quota in bytes
 * @throws AppError `disk_full`
 */
export function startContainer(incus: Incus, name: string, quota = Infinity): Promise<void> {
  return powerOn(incus, name, async (start) => {
    const { config } = await incus.instances.get(name)
    if (!isIsolated(config)) await ensureIsolation(incus, name, config)
    await withTemporaryDiskSpace(
      incus,
      name,
      async () => {
        if (config[FILES_VERSION_KEY] !== FILES_VERSION) await putMemoryFiles(incus, name)
        return start()
      },
      quota + START_ALLOWANCE_BYTES
    )
  })
}

/** If an instance stopped without a request, Incus may restart it during this time. */
const RESTART_TIMEOUT_MS = 5_000
const RESTART_POLL_MS = 250
const MAX_STOPS = 10
const BUSY_TIMEOUT_MS = 30_000

/**
 * Stops the container, by force if it does not shut down in time. Turns off the automatic restart; `startContainer`
 * turns it on again.
 * @throws if the container starts again after each stop
 */
export async function stopContainer(
  incus: Incus,
  name: string,
  options: PowerOffOptions = {}
): Promise<void> {
  const statusNow = async () => (await nullIfNotFound(incus.instances.get(name)))?.status
  const container = await nullIfNotFound(incus.instances.get(name))
  if (!container) return
  let deadline = 0
  if (container.config[AUTORESTART_CONFIG_KEY] !== 'false') {
    await forbidRestart(incus, name)
    // The instance stopped before this request. Incus may have read the old setting before the change, and may still
    // restart the instance.
    if ((await statusNow()) !== 'Running') deadline = Date.now() + RESTART_TIMEOUT_MS
  }
  await powerOffOnce(incus, name, options)
  // Incus can report a successful stop although an automatic restart has just started the instance.
  for (let stops = 1; ;) {
    const status = await statusNow()
    if (status === 'Running') {
      if (++stops > MAX_STOPS) throw new Error(`${name} starts again after each stop`)
      await powerOffOnce(incus, name, options)
    } else if (!status || Date.now() >= deadline) return
    else await sleep(RESTART_POLL_MS)
  }
}

/**
 * Ignores the error that the container stopped, or restarted automatically, during this request. The caller checks the
 * status.
 */
async function powerOffOnce(incus: Incus, name: string, options: PowerOffOptions): Promise<void> {
  try {
    await powerOff(incus, name, options)
  } catch (error) {
    if (!isIncusError(error, 'conflict')) throw error
  }
}

async function forbidRestart(incus: Incus, name: string): Promise<void> {
  const config = { [AUTORESTART_CONFIG_KEY]: 'false' }
  try {
    await withTemporaryDiskSpace(incus, name, () =>
      incus.instances.patchWhenIdle(name, { config }, BUSY_TIMEOUT_MS)
    )
  } catch (error) {
    // Continues, so that the instance stops even if its config cannot be changed, for example because its disk is
    // full.
    logger.warn(
      { err: error, instance: name },
      'an instance may restart automatically after a stop'
    )
  }
}

/** Adds the files that limit memory file systems (tmpfs), for instances whose image lacks these files. */
async function putMemoryFiles(incus: Incus, name: string): Promise<void> {
  for (const [path, text] of Object.entries(TMPFS_LIMIT_FILES)) {
    const mode = path === TMPFS_PROGRAM_PATH ? '0755' : '0644'
    await incus.instances.makeDirectory(name, dirname(path)).catch((error: unknown) => {
      if (!isIncusError(error)) throw error
    })
    await incus.instances.pushFile(name, path, text, { mode })
  }
  await incus.instances.patch(name, { config: { [FILES_VERSION_KEY]: FILES_VERSION } })
}
