import { AppError } from '#core/app_error'
import type { Incus, Instance } from '#packages/incus/main'
import { isDeepStrictEqual } from 'node:util'

type Writable = Pick<Instance, 'config' | 'devices'>

export type UndoFunction = () => Promise<void>

/**
 * Changes a container by one atomic request.
 * @returns a function that undoes this change, but keeps later changes by others
 */
export async function updateContainer(
  incus: Incus,
  name: string,
  change: (present: Instance) => Partial<Writable>
): Promise<UndoFunction> {
  const { instance, etag } = await incus.instances.getWithEtag(name)
  const { description, profiles, config, devices, architecture, ephemeral } = instance
  const same = { description, profiles, architecture, ephemeral }
  const changed = { ...same, config, devices, ...change(instance) }
  await (await incus.instances.replace(name, changed, etag)).wait(60)
  return async () => {
    try {
      await updateContainer(incus, name, (present) => ({
        config: withoutChange(present.config, config, changed.config),
        devices: withoutChange(present.devices, devices, changed.devices),
      }))
    } catch (cause) {
      throw incusChangeFailed(name, cause)
    }
  }
}

/** Keeps entries that were changed again since. */
function withoutChange<Entry>(
  present: Record<string, Entry>,
  before: Record<string, Entry>,
  changed: Record<string, Entry>
): Record<string, Entry> {
  // Incus removes config keys that are set to an empty text, so a missing key equals an empty one.
  const isSame = (one?: Entry, other?: Entry) => isDeepStrictEqual(one || null, other || null)
  const undone = Object.keys({ ...before, ...changed }).filter(
    (key) => !isSame(before[key], changed[key]) && isSame(present[key], changed[key])
  )
  return Object.fromEntries(
    Object.keys({ ...before, ...present })
      .map((key) => [key, (undone.includes(key) ? before : present)[key]] as const)
      .filter(([, entry]) => entry !== undefined)
  )
}

export async function removeDevices(incus: Incus, name: string, gone: string[]): Promise<void> {
  await updateContainer(incus, name, ({ devices }) => ({
    devices: Object.fromEntries(Object.entries(devices).filter(([key]) => !gone.includes(key))),
  }))
}

function incusChangeFailed(name: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `Nothing was changed in Berth, but the host still has the new ports of ${name}: ${reason}. Save again when the host responds.`
  return new AppError('stands_in_incus', 503, message, { cause })
}
