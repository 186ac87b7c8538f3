import { RetryLater, type StepContext } from '#core/operations/operations'
import { hostUnreachable, HostInstance, incusClientFor } from '#hosts/public'
import { getOwnContainer } from '#instances/containers/labels'
import type { ContainerContext } from '#instances/containers/container_context'
import { instanceDeleted } from '#instances/errors'
import { withInstanceLock } from '#instances/instance_lock'
import ServerInstance from '#instances/models/server_instance'
import { isIncusError, nullIfNotFound } from '#packages/incus/main'
import { setTimeout as sleep } from 'node:timers/promises'

export interface InstanceOperationInput {
  instanceId: number
}

/** How long a step waits for a host that cannot be reached, in milliseconds. */
const HOST_TIMEOUT_MS = 90_000
/** Since when it cannot be reached, in what a step remembers. */
const HOST_AWAY_SINCE_KEY = 'hostAwaySince'

/**
 * Runs a piece of a step while nobody else changes the instance. A host that is away is waited for,
 * with words; an instance that is being deleted is left, and so is a container that is not its own.
 */
export async function withLockedInstance<T>(
  { instanceId }: InstanceOperationInput,
  context: StepContext,
  work: (what: ContainerContext) => Promise<T>,
  { deleting = false }: { deleting?: boolean } = {}
): Promise<T> {
  return retryWhileUnreachable(context, () =>
    withInstanceLock(instanceId, async () => {
      const instance = await ServerInstance.query()
        .where('id', instanceId)
        .preload('package')
        .firstOrFail()
      if (!deleting && (instance.deletionAskedAt || instance.status === 'deleted')) {
        throw instanceDeleted()
      }
      const host = await HostInstance.findOrFail(instance.hostInstanceId)
      const incus = incusClientFor(host)
      // Deleting looks for itself: it goes on without a container.
      if (instance.systemId && !deleting) await nullIfNotFound(getOwnContainer(incus, instance))
      return work({ instance, host, incus })
    })
  )
}

/**
 * While Incus cannot be reached the step gives its place back and is tried again, for a minute and a
 * half since it was first missed.
 */
export async function retryWhileUnreachable<T>(
  context: StepContext,
  work: () => Promise<T>
): Promise<T> {
  try {
    const done = await work()
    if (context.state[HOST_AWAY_SINCE_KEY]) await context.saveState(HOST_AWAY_SINCE_KEY, null)
    return done
  } catch (error) {
    if (!isIncusError(error, 'unreachable')) throw error
    const since = Number(context.state[HOST_AWAY_SINCE_KEY] ?? Date.now())
    if (Date.now() > since + HOST_TIMEOUT_MS) throw hostUnreachable('of this instance', error)
    await context.saveState(HOST_AWAY_SINCE_KEY, since)
    throw new RetryLater('The host does not respond. Retrying')
  }
}

/** Asks each `every` ms until the answer is truthy; undefined when the time is up. */
export async function pollUntil<T>(
  context: StepContext,
  { within, every }: { within: number; every: number },
  ask: () => Promise<T>
): Promise<T | undefined> {
  const deadline = Date.now() + within
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > deadline) return undefined
    await sleep(every, undefined, { signal: context.signal })
  }
}
