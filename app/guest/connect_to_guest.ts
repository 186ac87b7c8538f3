import {
  assertInstanceCan,
  getInstance,
  type InstanceAction,
  connectToActiveInstance,
  ServerInstance,
} from '#instances/public'
import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/app_error'
import type { Machine } from '#packages/machine/main'

/** An instance that is worked in, and the machine that it is. */
export interface GuestConnection {
  instance: ServerInstance
  machine: Machine
}

/**
 * The instance that a person may work in now. Throws the same 404 for unknown and other people's, 409
 * with the reason where its state forbids it. What staff may do besides is each domain's own rule.
 */
export async function loadUsableInstance(
  actor: Actor,
  id: unknown,
  action: InstanceAction = 'manage'
): Promise<ServerInstance> {
  const instance = await getInstance(actor, id)
  assertInstanceCan(action, instance)
  return instance
}

/** As `loadUsableInstance`, with its machine; 503 where that does not answer. */
export async function connectToGuest(actor: Actor, id: unknown): Promise<GuestConnection> {
  const instance = await loadUsableInstance(actor, id)
  return { instance, machine: await connectToActiveInstance(instance) }
}

/**
 * The same for work that its asker was allowed when it was started: by the instance's own id, whoever
 * it belongs to, and on nobody's behalf. 404 when it is gone meanwhile, a refusal when it does not run.
 */
export async function connectToGuestForOperation(id: number): Promise<GuestConnection> {
  const instance = await ServerInstance.live().where('id', id).first()
  if (!instance) throw notFound('server instance')
  return { instance, machine: await connectToActiveInstance(instance) }
}
