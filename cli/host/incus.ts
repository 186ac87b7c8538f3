import { mkdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  Incus,
  isIncusError,
  isolateTenants,
  type PublicServices,
  TENANT_ACL,
} from '../../packages/incus/main.ts'
import {
  supervisePrivateIncus,
  startPrivateIncus,
  startSystemIncus,
  stopPrivateIncus,
  unmountBelow,
} from './incus_daemon.ts'
import { limitConnections, unlimitConnections } from './connection_limits.ts'
import { raiseKernelLimits } from './kernel_limits.ts'
import { hasSystemd } from './operating_system.ts'
import { poolSizeFor } from './pool_size.ts'
import type { LineReporter } from './run_for_output.ts'
import { bridgeName, chooseFreeSubnet, readLocalRoutes } from './subnet.ts'

/**
 * Home of a normal installation, which uses the system's Incus if systemd runs. Each other home gets its own Incus
 * daemon.
 */
export const INSTALLATION_HOME_PATH = '/var/lib/berth'
export const STORAGE_POOL_NAME = 'berth'
const BYTES_PER_GIB = 1024 ** 3

export interface StartIncusOptions {
  home: string
  report?: LineReporter
  /** Bytes of a new storage pool. Default: computed from the free disk space (`pool_size.ts`). */
  poolSize?: number
  /** Unix group that may use the socket of the home's own Incus daemon, besides root. */
  group?: string
  /** Public services on this machine, which its instances may use too. */
  services?: PublicServices
}

export interface RunningIncus {
  socket: string
  network: string
  /** Mount point of the storage pool. */
  poolPath: string
  /** Restarts the home's own daemon whenever it exits. Does nothing for the system's daemon, which systemd restarts. */
  keep(options: { signal: AbortSignal; report: LineReporter }): Promise<void>
  /** Stops the home's own daemon, but never the system's. Instances keep running unless `instances` is set. */
  stop(options?: { instances?: boolean }): Promise<void>
}

/** Also configures the bridge, storage pool, default profile and network rules. May be called again. */
export async function startIncus(options: StartIncusOptions): Promise<RunningIncus> {
  const { home, report = () => {} } = options
  const system = hasSystemd() && home === INSTALLATION_HOME_PATH
  await mkdir(home, { recursive: true })
  await raiseKernelLimits(report)
  const socket = system
    ? await startSystemIncus(home, report)
    : await startPrivateIncus(home, report, options.group)
  const incus = Incus.local(socket)
  const network = bridgeName(home)
  try {
    const missing = await incus.server.missingControllers()
    if (missing.length) {
      report(
        `Instances cannot start on this machine, because Incus would not enforce their limits. These cgroup controllers are missing: ${missing.join(', ')}. See ./berth doctor`
      )
    }
    await ensureNetwork(incus, network, home, report)
    await ensurePool(incus, options, report)
    await ensureDefaultProfile(incus, network)
    await retryWhileAddressInUse(() => isolateTenants(incus, network, options.services))
    await limitConnections(network, report)
  } finally {
    await incus.close()
  }
  const folder = system ? '/var/lib/incus' : join(home, 'incus')
  return {
    socket,
    network,
    poolPath: join(folder, 'storage-pools', STORAGE_POOL_NAME),
    keep: async (how) => {
      if (!system) await supervisePrivateIncus({ home, group: options.group, ...how })
    },
    stop: async (how) => {
      if (!system) await stopPrivateIncus(socket, how)
    },
  }
}

/**
 * Also removes all instances, images and networks. For the homes of tests.
 * @throws Error for the home of a normal installation
 */
export async function removeIncus({ home }: { home: string }): Promise<void> {
  if (home === INSTALLATION_HOME_PATH)
    throw new Error('This command does not remove the main installation')
  const socket = await startPrivateIncus(home, () => {})
  const incus = Incus.local(socket)
  try {
    const network = bridgeName(home)
    for (const { name, status } of await incus.instances.list()) {
      if (status !== 'Stopped') {
        await (await incus.instances.setState(name, 'stop', { force: true })).wait(120)
      }
      await (await incus.instances.delete(name)).wait(120)
    }
    for (const { fingerprint } of await incus.images.list()) {
      await (await incus.images.delete(fingerprint)).wait(120)
    }
    await incus.profiles.replace('default', { description: '', config: {}, devices: {} })
    await unlessMissing(incus.networks.delete(network))
    await unlimitConnections(network)
    await unlessMissing(incus.networks.deleteAcl(TENANT_ACL))
    await unlessMissing(incus.storagePools.delete(STORAGE_POOL_NAME))
  } finally {
    await incus.close()
  }
  await stopPrivateIncus(socket)
  await unmountBelow(join(home, 'incus'))
  await rm(join(home, 'incus'), { recursive: true, force: true })
}

async function ensureNetwork(
  incus: Incus,
  name: string,
  home: string,
  report: LineReporter
): Promise<void> {
  const there = await unlessMissing(incus.networks.get(name))
  if (there?.managed) return
  const address = chooseFreeSubnet(home, await readLocalRoutes())
  report(`Creating the network ${name} (${address})`)
  await incus.networks.create({
    name,
    description: 'Berth instances',
    config: { 'ipv4.address': address, 'ipv4.nat': 'true', 'ipv6.address': 'none' },
  })
}

/**
 * Makes a change of a bridge, for which Incus restarts dnsmasq. On a busy machine, the old dnsmasq may still use the
 * address, and Incus reverts the change. In this case, tries up to 20 times.
 */
export async function retryWhileAddressInUse<T>(change: () => Promise<T>, rest = 500): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await change()
    } catch (error) {
      if (tries === 20 || !/address already in use/i.test((error as Error).message)) throw error
      await setTimeout(rest)
    }
  }
}

async function ensurePool(
  incus: Incus,
  options: StartIncusOptions,
  report: LineReporter
): Promise<void> {
  if (await unlessMissing(incus.storagePools.get(STORAGE_POOL_NAME))) return
  const size = options.poolSize ?? poolSizeFor(await freeDisk(options.home))
  report(
    `Creating the storage pool (up to ${Math.round(size / BYTES_PER_GIB)} GiB, allocated as it fills)`
  )
  await incus.storagePools.create({
    name: STORAGE_POOL_NAME,
    driver: 'btrfs',
    config: { size: `${size}B` },
  })
}

async function ensureDefaultProfile(incus: Incus, network: string): Promise<void> {
  const profile = await incus.profiles.get('default')
  const devices = {
    ...profile.devices,
    root: { type: 'disk', path: '/', pool: STORAGE_POOL_NAME },
    // Two bridge ports are isolated from each other only if both have this setting, so every instance gets it.
    eth0: { type: 'nic', name: 'eth0', network, 'security.port_isolation': 'true' },
  }
  const { description, config } = profile
  await incus.profiles.replace('default', { description, config, devices })
}

async function freeDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (isIncusError(error, 'not_found')) return null
    throw error
  }
}
