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

/**
 * Config keys that the host's watchdog reads: the time at which a boost ends (ms since 1970), and the limits to
 * restore then.
 */
const BOOST_UNTIL_KEY = 'user.berth.boost.until'
const BOOST_MEMORY_KEY = 'user.berth.boost.memory'
const BOOST_CPU_KEY = 'user.berth.boost.cpu'
const BOOST_PROCESSES_KEY = 'user.berth.boost.processes'

/**
 * First writes the normal limits (`back`) and the end time into Incus, so that the host's watchdog restores the limits
 * even if Berth is down.
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

/** Applies the normal limits, which ends a boost. Also works with a full disk. */
export function applyLimits(
  incus: Incus,
  name: string,
  allocation: RuntimeLimits & Partial<Pick<Allocation, 'disk'>>
): Promise<void> {
  return withTemporaryDiskSpace(incus, name, () => setLimits(incus, name, allocation))
}

/** A running boost ends at the same time as before, and then leaves the new limits. */
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

/** A running boost continues. */
export function resizeDisk(incus: Incus, name: string, disk: number): Promise<void> {
  return withTemporaryDiskSpace(incus, name, () => resizeAround(incus, name, disk, async () => {}))
}

export function matchesLimits(config: Record<string, string>, limits: RuntimeLimits): boolean {
  const wanted = { ...limitConfig(limits), ...cpuWeightConfig(limits) }
  return Object.entries(wanted).every(([key, value]) => config[key] === value)
}

export function isBoosted(config: Record<string, string>): boolean {
  return Boolean(config[BOOST_UNTIL_KEY])
}

export const DISK_FULL_PATTERN = /no space left on device|disk quota exceeded/i
/**
 * Matches LXC's error when it cannot save a container's config. The error gives no reason; usually the disk is full.
 */
const CONFIG_NOT_SAVED_PATTERN = /saving config file for the container failed/i
/** `withTemporaryDiskSpace` enlarges a full disk by this many bytes each time. */
const FULL_DISK_ALLOWANCE_BYTES = 64 * 1024 ** 2
/** A file in the base image that Berth deletes to free space. */
const RESERVE_FILE = '/var/lib/berth-reserve'
const RESERVE_BYTES = 1024 ** 2

/**
 * Runs `work`. If the disk is full, repeats it with a slightly larger disk. Incus stores an instance's metadata on the
 * instance's disk, so it cannot start or change an instance with a full disk. The reconciliation shrinks the disk
 * again when enough space is free.
 * @param maximum maximum disk size in bytes
 * @throws AppError `disk_full`
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
 * Deletes the reserve file, then enlarges the disk. Without any free space, a disk cannot even be enlarged, because
 * btrfs needs some of the quota for the change itself.
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
  // Restores the reserve file. Ignores errors, because the change has succeeded anyway.
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
      // The host's watchdog may end the boost at the same time. It then sets the same limits as this function.
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

/** Runs `change`. Enlarges the disk before it, or shrinks the disk after it, because a full disk accepts no change. */
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
 * Sets each limit by a separate request, because Incus 6.0.4 loses a CPU change that is combined with another change.
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
