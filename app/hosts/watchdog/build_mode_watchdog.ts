import { BASE_IMAGE } from '#hosts/base_image'
import {
  INSTALLATION_CONFIG_KEY,
  loadInstallationId,
  watchdogContainerName,
} from '#hosts/installation_identity'
import {
  BUILD_MODE_WATCHDOG_PROGRAM,
  BUILD_MODE_WATCHDOG_UNIT,
} from '#hosts/watchdog/build_mode_watchdog_program'
import type HostInstance from '#hosts/models/host_instance'
import {
  type Incus,
  isIncusError,
  powerOn,
  removeContainer,
  nullIfNotFound,
} from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import { createHash } from 'node:crypto'

/** Config key of the watchdog's version. `keeper` is an earlier name of the watchdog. */
export const WATCHDOG_VERSION_CONFIG_KEY = 'user.berth.keeper'

/** Folder of Incus's data if a package of a Linux distribution installed it. */
const DEFAULT_INCUS_FOLDER = '/var/lib/incus'
const PROGRAM_PATH = '/usr/local/lib/berth-keeper.mjs'
const UNIT_PATH = '/etc/systemd/system/berth-keeper.service'

/**
 * Creates the watchdog, which restores the limits after a boost even if all processes of Berth are down. It is a
 * small container without network that Incus starts when the host boots. It controls Incus through a socket that
 * only this container can use. Requires the base image.
 * @throws Error if the watchdog cannot reach Incus
 */
export async function ensureBuildModeWatchdog(host: HostInstance, incus: Incus): Promise<void> {
  const name = await watchdogContainerName()
  const connect = `unix:${await findIncusSocket(host, incus)}`
  const version = createHash('sha256')
    .update(JSON.stringify([BUILD_MODE_WATCHDOG_PROGRAM, BUILD_MODE_WATCHDOG_UNIT, connect]))
    .digest('hex')
    .slice(0, 16)
  const container = await nullIfNotFound(incus.instances.get(name))
  if (container?.config[WATCHDOG_VERSION_CONFIG_KEY] === version) {
    if (container.status !== 'Running') await powerOn(incus, name)
    return
  }
  if (container) await removeContainer(incus, name)
  try {
    await createWatchdog(name, { host, incus, connect })
  } catch (error) {
    // Another process has just created the watchdog.
    if (isIncusError(error, 'conflict')) return
    throw error
  }
  // Set last: after an interruption, the version differs and the watchdog is created again.
  await incus.instances.patch(name, { config: { [WATCHDOG_VERSION_CONFIG_KEY]: version } })
  const argv = ['curl', '-sf', '--abstract-unix-socket', 'berth-incus', 'http://incus/1.0']
  const { exitCode } = await incus.instances.exec(name, argv, { timeout: 60 })
  if (exitCode !== 0) throw new Error(`The watchdog does not reach Incus at ${connect}`)
}

/** A failure is only logged, because Berth's worker restores the limits too. */
export async function ensureBuildModeWatchdogIfPossible(
  host: HostInstance,
  incus: Incus
): Promise<void> {
  try {
    await ensureBuildModeWatchdog(host, incus)
  } catch (error) {
    logger.warn({ err: error, host: host.name }, 'the watchdog of a host could not be started')
  }
}

export async function removeBuildModeWatchdog(incus: Incus): Promise<void> {
  await removeContainer(incus, await watchdogContainerName())
}

interface WatchdogOptions {
  host: HostInstance
  incus: Incus
  connect: string
}

async function createWatchdog(
  name: string,
  { host, incus, connect }: WatchdogOptions
): Promise<void> {
  const operation = await incus.instances.create({
    name,
    image: BASE_IMAGE,
    description: 'Ends Build Mode if Berth is down',
    profiles: [],
    config: {
      [INSTALLATION_CONFIG_KEY]: await loadInstallationId(),
      [WATCHDOG_VERSION_CONFIG_KEY]: 'unfinished',
      'boot.autostart': 'true',
      'limits.memory': '128MiB',
      'raw.lxc': 'lxc.init.cmd = /sbin/init systemd.unit=berth-keeper.service',
    },
    devices: {
      root: { type: 'disk', path: '/', pool: host.storagePool! },
      // An abstract socket can be used before any folder of the instance is mounted.
      incus: { type: 'proxy', bind: 'instance', listen: 'unix:@berth-incus', connect },
    },
    ...(host.systemId ? { target: host.systemId } : {}),
  })
  await operation.wait(120)
  await incus.instances.pushFile(name, PROGRAM_PATH, BUILD_MODE_WATCHDOG_PROGRAM)
  await incus.instances.pushFile(name, UNIT_PATH, BUILD_MODE_WATCHDOG_UNIT)
  await powerOn(incus, name)
}

/**
 * Returns the path of Incus's socket. Incus does not report it, but the path of a storage pool in a loop file shows
 * Incus's folder. Other pools: the default folder.
 */
async function findIncusSocket(host: HostInstance, incus: Incus): Promise<string> {
  const { config } = await incus.storagePools.get(host.storagePool!)
  const folder = /^(\/.+)\/disks\/[^/]+\.img$/.exec(config.source ?? '')?.[1]
  return `${folder ?? DEFAULT_INCUS_FOLDER}/unix.socket`
}
