import { nullIfNotFound } from './errors.ts'
import type { Incus } from './main.ts'

/** Seconds for a clean shutdown before the plug is pulled. */
export const SHUTDOWN_SECONDS = 30

/**
 * Starts a container; nothing happens where it runs already.
 * @param within does the start, for callers who mend what is in its way
 */
export async function powerOn(
  incus: Incus,
  name: string,
  within: (start: () => Promise<unknown>) => Promise<unknown> = (start) => start()
): Promise<void> {
  if ((await incus.instances.get(name)).status === 'Running') return
  try {
    await within(async () => (await incus.instances.setState(name, 'start')).wait(120))
  } catch (error) {
    const { status } = await incus.instances.get(name)
    if (status !== 'Running') throw error
  }
}

export interface PowerOffOptions {
  /** Pull the plug at once. */
  force?: boolean
  /** Seconds for a clean shutdown; 30 unless told. */
  timeoutSeconds?: number
  /** Called before the plug is pulled because it did not shut down. */
  onForce?: () => Promise<void>
}

/** Stops a container, by force when it does not in time; nothing happens where it is stopped. */
export async function powerOff(
  incus: Incus,
  name: string,
  { force = false, timeoutSeconds = SHUTDOWN_SECONDS, onForce }: PowerOffOptions = {}
): Promise<void> {
  try {
    const timeout = force ? 0 : timeoutSeconds
    await (
      await incus.instances.setState(name, 'stop', { force, timeout })
    ).wait(SHUTDOWN_SECONDS + 30)
  } catch (error) {
    const now = await nullIfNotFound(incus.instances.get(name))
    if (!now || now.status === 'Stopped') return
    if (force) throw error
    await onForce?.()
    await powerOff(incus, name, { force: true })
  }
}

/** Deletes a container with its disk, running or not; nothing happens where it is gone. */
export async function removeContainer(incus: Incus, name: string): Promise<void> {
  const remove = async () => (await incus.instances.delete(name)).wait(120)
  try {
    await remove()
  } catch (error) {
    const now = await nullIfNotFound(incus.instances.get(name))
    if (!now) return
    if (now.status === 'Stopped') throw error
    await powerOff(incus, name, { force: true })
    await remove()
  }
}
