import { limitConfig, type Limits, type Share } from '#compute/limits'
import { type Incus, isIncusError } from '#packages/incus/main'

/** The settings by which a host's keeper knows what to lower, to what, and when (ms since 1970). */
const UNTIL = 'user.berth.boost.until'
const MEMORY = 'user.berth.boost.memory'
const CPU = 'user.berth.boost.cpu'
const PROCESSES = 'user.berth.boost.processes'

/**
 * Raises processors, memory and processes until a moment. What to return to, and when, is written into Incus
 * first: from then on the host's keeper lowers it, whatever becomes of us.
 */
export async function raiseLimits(
  incus: Incus,
  name: string,
  { to, back, until }: { to: Limits; back: Limits; until: Date }
): Promise<void> {
  const marks = { [UNTIL]: String(until.getTime()), ...marksOf(limitConfig(back)) }
  await incus.instances.patch(name, { config: marks })
  await write(incus, name, limitConfig(to))
}

/**
 * Sets processors, memory and processes of a container, and its disk where told; a boost is over by
 * that.
 */
export async function applyLimits(
  incus: Incus,
  name: string,
  share: Limits & Partial<Pick<Share, 'disk'>>
): Promise<void> {
  const wanted = limitConfig(share)
  const { config, devices } = await incus.instances.get(name)
  const boosted = Boolean(config[UNTIL])
  if (boosted) {
    // Whoever is first, the keeper or we: both set the same.
    await incus.instances.patch(name, { config: marksOf(wanted) })
  }
  await write(incus, name, wanted)
  if (boosted) {
    await incus.instances.patch(name, {
      config: { [UNTIL]: '', [MEMORY]: '', [CPU]: '', [PROCESSES]: '' },
    })
  }
  const size = share.disk && String(share.disk)
  if (size && devices.root && devices.root.size !== size) {
    await incus.instances.patch(name, { devices: { root: { ...devices.root, size } } })
  }
}

function marksOf(lowered: Record<string, string>): Record<string, string> {
  return {
    [MEMORY]: lowered['limits.memory'],
    [CPU]: lowered['limits.cpu'],
    [PROCESSES]: lowered['limits.processes'],
  }
}

/**
 * Incus 6.0.4 loses a change of processors that comes together with another one, so that each is
 * written by itself.
 */
async function write(incus: Incus, name: string, wanted: Record<string, string>): Promise<void> {
  const { config } = await incus.instances.get(name)
  for (const key of ['limits.processes', 'limits.memory', 'limits.cpu']) {
    if (config[key] !== wanted[key]) {
      await incus.instances.patch(name, { config: { [key]: wanted[key] } })
    }
  }
}

/** As `work`, but null where the container is not there. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (isIncusError(error, 'not_found')) return null
    throw error
  }
}
