import { limitConfig, type Share } from '#compute/limits'
import { type Incus, isIncusError } from '#packages/incus/main'

type Processors = Pick<Share, 'vcpu' | 'memory'>

/** The settings by which a host's keeper knows what to lower, to what, and when (ms since 1970). */
const UNTIL = 'user.berth.boost.until'
const MEMORY = 'user.berth.boost.memory'
const CPU = 'user.berth.boost.cpu'

/**
 * Raises processors and memory until a moment. What to return to, and when, is written into Incus
 * first: from then on the host's keeper lowers it, whatever becomes of us.
 */
export async function raiseLimits(
  incus: Incus,
  name: string,
  { to, back, until }: { to: Processors; back: Processors; until: Date }
): Promise<void> {
  const lowered = limitConfig(back)
  const marks = {
    [UNTIL]: String(until.getTime()),
    [MEMORY]: lowered['limits.memory'],
    [CPU]: lowered['limits.cpu'],
  }
  await incus.instances.patch(name, { config: marks })
  await write(incus, name, limitConfig(to))
}

/**
 * Sets processors and memory of a container, and its disk where told; a boost is over by that.
 */
export async function applyLimits(
  incus: Incus,
  name: string,
  share: Processors & { disk?: number }
): Promise<void> {
  const wanted = limitConfig(share)
  const { config, devices } = await incus.instances.get(name)
  const boosted = Boolean(config[UNTIL])
  if (boosted) {
    // Whoever is first, the keeper or we: both set the same.
    const marks = { [MEMORY]: wanted['limits.memory'], [CPU]: wanted['limits.cpu'] }
    await incus.instances.patch(name, { config: marks })
  }
  await write(incus, name, wanted)
  if (boosted) {
    await incus.instances.patch(name, { config: { [UNTIL]: '', [MEMORY]: '', [CPU]: '' } })
  }
  const size = share.disk && String(share.disk)
  if (size && devices.root && devices.root.size !== size) {
    await incus.instances.patch(name, { devices: { root: { ...devices.root, size } } })
  }
}

/**
 * Incus 6.0.4 loses a change of processors that comes together with another one, so that each is
 * written by itself.
 */
async function write(incus: Incus, name: string, wanted: Record<string, string>): Promise<void> {
  const { config } = await incus.instances.get(name)
  for (const key of ['limits.memory', 'limits.cpu']) {
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
