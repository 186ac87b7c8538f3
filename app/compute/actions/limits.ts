import { limitConfig, type Share } from '#compute/limits'
import { type Incus, isIncusError } from '#packages/incus/main'

/**
 * Sets processors and memory of a container, and its disk where told. Incus 6.0.4 loses a change of
 * processors that comes together with another one, so that each is written by itself.
 */
export async function applyLimits(
  incus: Incus,
  name: string,
  share: Pick<Share, 'vcpu' | 'memory'> & { disk?: number }
): Promise<void> {
  const { config, devices } = await incus.instances.get(name)
  const wanted = limitConfig(share)
  for (const key of ['limits.memory', 'limits.cpu']) {
    if (config[key] !== wanted[key]) {
      await incus.instances.patch(name, { config: { [key]: wanted[key] } })
    }
  }
  const size = share.disk && String(share.disk)
  if (size && devices.root && devices.root.size !== size) {
    await incus.instances.patch(name, { devices: { root: { ...devices.root, size } } })
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
