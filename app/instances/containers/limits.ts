import type { Allocation } from '#catalog/public'
import { diskFull } from '#instances/errors'
import {
  limitConfig,
  type RuntimeLimits,
  cpuWeightConfig,
  type RunningBoost,
} from '#instances/runtime_limits'
import { type Incus, isIncusError, nullIfNotFound } from '#packages/incus/main'
import { randomBytes } from 'node:crypto'

/** The settings by which a host's watchdog knows what to lower, to what, and when (ms since 1970). */
const BOOST_UNTIL_KEY = 'user.berth.boost.until'
const BOOST_MEMORY_KEY = 'user.berth.boost.memory'
const BOOST_CPU_KEY = 'user.berth.boost.cpu'
const BOOST_PROCESSES_KEY = 'user.berth.boost.processes'

/**
 * Raises processors, memory and processes until a moment. What to return to, and when, is written
 * into Incus first: from then on the host's watchdog lowers it, whatever becomes of us.
 */
export async function raiseLimits(
  incus: Incus,
  name: string,
  { to, back, until }: RunningBoost & { back: RuntimeLimits }
): Promise<void> {
  const labels = { [BOOST_UNTIL_KEY]: String(until.getTime()), ...boostLabels(limitConfig(back)) }
  await incus.instances.patch(name, { config: labels })
  await writeLimits(incus, name, limitConfig(to))
}

/**
 * Sets processors, memory and processes of a container, and its disk where told; a boost is over by
 * that. A full disk does not hinder it.
 */
export function applyLimits(
  incus: Incus,
  name: string,
  allocation: RuntimeLimits & Partial<Pick<Allocation, 'disk'>>
): Promise<void> {
  return withTemporaryDiskSpace(incus, name, () => setLimits(incus, name, allocation))
}

/**
 * Sets the limits and the disk of another package. A running boost continues from the new limits, and ends at the
 * same time as before.
 */
export function applyNewAllocation(
  incus: Incus,
  name: string,
  allocation: Allocation,
  boost: RunningBoost | null
): Promise<void> {
  if (!boost) return applyLimits(incus, name, allocation)
  return withTemporaryDiskSpace(incus, name, () =>
    resizeAround(incus, name, allocation.disk, async () => {
      await raiseLimits(incus, name, { to: boost.to, back: allocation, until: boost.until })
      await writeLimits(incus, name, cpuWeightConfig(allocation))
    })
  )
}

/** Sets the size of a container's disk, in bytes, and nothing else: a boost continues. */
export function resizeDisk(incus: Incus, name: string, disk: number): Promise<void> {
  return withTemporaryDiskSpace(incus, name, () => resizeAround(incus, name, disk, async () => {}))
}

/** Whether a container's settings are those of these limits. */
export function matchesLimits(config: Record<string, string>, limits: RuntimeLimits): boolean {
  const wanted = { ...limitConfig(limits), ...cpuWeightConfig(limits) }
  return Object.entries(wanted).every(([key, value]) => config[key] === value)
}

/** Whether Build Mode is written into a container's settings. */
export function isBoosted(config: Record<string, string>): boolean {
  return Boolean(config[BOOST_UNTIL_KEY])
}

/** What file systems say through Incus when they are full. */
export const DISK_FULL_PATTERN = /no space left on device|disk quota exceeded/i
/** The same of LXC's configuration, which is written without telling why it could not be. */
const CONFIG_NOT_SAVED_PATTERN = /saving config file for the container failed/i
/** What a full disk gets beyond its quota, in bytes. */
const FULL_DISK_ALLOWANCE_BYTES = 64 * 1024 ** 2
/** A file of the base image that is there to be deleted; its bytes. */
const RESERVE_FILE = '/var/lib/berth-reserve'
const RESERVE_BYTES = 1024 ** 2

/**
 * Incus keeps notes of an instance on the instance's own disk: where its owner has filled that, it
 * neither starts nor changes it. Then the disk is made a little larger, and the work is done again.
 * Upkeep takes it back once there is room.
 * @param maximum bytes that the disk may have in all
 * @throws refusal `disk_full`
 */
export async function withTemporaryDiskSpace<T>(
  incus: Incus,
  name: string,
  work: () => Promise<T>,
  maximum = Infinity
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isFull(error)) throw error
    const { root } = (await incus.instances.get(name)).devices
    const size = Number(root?.size) + FULL_DISK_ALLOWANCE_BYTES
    if (!(size <= maximum)) throw diskFull(error)
    const widen = () =>
      incus.instances.patch(name, { devices: { root: { ...root, size: String(size) } } })
    await widen().catch((reason) => widenWithReserve(incus, name, widen, reason))
    return work()
  }
}

function isFull(error: unknown): boolean {
  return (
    isIncusError(error) &&
    (DISK_FULL_PATTERN.test(error.message) || CONFIG_NOT_SAVED_PATTERN.test(error.message))
  )
}

/**
 * btrfs counts a change of a quota towards that quota, so that the fullest disks cannot be made larger
 * either. To delete is allowed always.
 */
async function widenWithReserve(
  incus: Incus,
  name: string,
  widen: () => Promise<unknown>,
  reason: unknown
): Promise<void> {
  if (!isFull(reason)) throw reason
  await nullIfNotFound(incus.instances.deleteFile(name, RESERVE_FILE))
  await widen().catch((error) => {
    throw isFull(error) ? diskFull(error) : error
  })
  // For the next time; without it everything else works as well.
  await incus.instances
    .pushFile(name, RESERVE_FILE, randomBytes(RESERVE_BYTES), { mode: '0600' })
    .catch(() => {})
}

async function setLimits(
  incus: Incus,
  name: string,
  allocation: RuntimeLimits & Partial<Pick<Allocation, 'disk'>>
): Promise<void> {
  const wanted = limitConfig(allocation)
  await resizeAround(incus, name, allocation.disk, async (config) => {
    const boosted = isBoosted(config)
    if (boosted) {
      // Whoever is first, the watchdog or we: both set the same.
      await incus.instances.patch(name, { config: boostLabels(wanted) })
    }
    await writeLimits(incus, name, { ...wanted, ...cpuWeightConfig(allocation) })
    if (boosted) {
      await incus.instances.patch(name, {
        config: {
          [BOOST_UNTIL_KEY]: '',
          [BOOST_MEMORY_KEY]: '',
          [BOOST_CPU_KEY]: '',
          [BOOST_PROCESSES_KEY]: '',
        },
      })
    }
  })
}

/** Sets the size of a disk before other changes if it grows, because a full disk takes none, and after them otherwise. */
async function resizeAround(
  incus: Incus,
  name: string,
  disk: number | undefined,
  change: (config: Record<string, string>) => Promise<void>
): Promise<void> {
  const { config, devices } = await incus.instances.get(name)
  const { root } = devices
  const size = disk && String(disk)
  const resize = async () => {
    if (!size || !root || root.size === size) return
    await incus.instances.patch(name, { devices: { root: { ...root, size } } })
  }
  const grows = Number(size) > Number(root?.size)
  if (grows) await resize()
  await change(config)
  if (!grows) await resize()
}

function boostLabels(lowered: Record<string, string>): Record<string, string> {
  return {
    [BOOST_MEMORY_KEY]: lowered['limits.memory'],
    [BOOST_CPU_KEY]: lowered['limits.cpu'],
    [BOOST_PROCESSES_KEY]: lowered['limits.processes'],
  }
}

/**
 * Incus 6.0.4 loses a change of processors that comes together with another one, so that each is
 * written by itself.
 */
async function writeLimits(
  incus: Incus,
  name: string,
  wanted: Record<string, string>
): Promise<void> {
  const { config } = await incus.instances.get(name)
  for (const [key, value] of Object.entries(wanted)) {
    if (config[key] !== value) await incus.instances.patch(name, { config: { [key]: value } })
  }
}
