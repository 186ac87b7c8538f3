import { RetryLater, type StepContext } from '#core/operations/operations'
import { hostUnreachable, HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
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

const HOST_TIMEOUT_MS = 90_000
const HOST_AWAY_SINCE_KEY = 'hostAwaySince'

/**
 * Runs `work` under the instance's lock. Retries later if the host is unreachable. Without `deleting`, throws if the
 * instance is being deleted, or if the container does not belong to it.
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
      // A deletion makes this check itself, because it continues without a container.
      if (instance.systemId && !deleting) await nullIfNotFound(getOwnContainer(incus, instance))
      return work({ instance, host, incus })
    })
  )
}

/**
 * Runs `work`. While the host does not respond, retries the step for at most 90 seconds.
 * @throws RetryLater during that time, then an error
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

/**
 * Calls a function repeatedly until it returns a truthy value. Times are in ms. Returns undefined
 * after `within`.
 */
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
