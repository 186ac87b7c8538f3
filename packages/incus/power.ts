import { nullIfNotFound } from './errors.ts'
import type { Incus } from './main.ts'

/** Seconds that a container has for a clean shutdown before it is stopped forcibly. */
export const SHUTDOWN_SECONDS = 30

/**
 * Starts a container, unless it already runs.
 * @param within function that calls `start`. It may first fix a cause of failure, or retry
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
  force?: boolean
  /** Seconds for a clean shutdown. Default 30. */
  timeoutSeconds?: number
  /** Called before a container is stopped forcibly, because its clean shutdown failed or took too long. */
  onForce?: () => Promise<void>
}

/** Stops a container, unless it is stopped or deleted. If the shutdown fails or takes too long, stops it forcibly. */
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

/** Deletes a container with its disk. The container may be running, or may already be deleted. */
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
