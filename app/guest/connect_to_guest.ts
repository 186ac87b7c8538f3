import {
  assertInstanceCan,
  getInstance,
  type InstanceAction,
  ServerInstance,
} from '#instances/public'
import { connectToActiveInstance } from '#instances/engine'
import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/app_error'
import type { Machine } from '#packages/machine/main'

export interface GuestConnection {
  instance: ServerInstance
  machine: Machine
}

/**
 * Each module decides what else staff may do.
 * @throws the same 404 for unknown instances and those of other customers; 409 with the reason if
 * the status forbids it
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

/** @throws as `loadUsableInstance`; 503 if the machine does not respond */
export async function connectToGuest(actor: Actor, id: unknown): Promise<GuestConnection> {
  const instance = await loadUsableInstance(actor, id)
  return { instance, machine: await connectToActiveInstance(instance) }
}

/**
 * The request that started the operation was checked.
 * @throws 404 if the instance was deleted in the meantime, AppError if it does not run
 */
export async function connectToGuestForOperation(id: number): Promise<GuestConnection> {
  const instance = await ServerInstance.live().where('id', id).first()
  if (!instance) throw notFound('server instance')
  return { instance, machine: await connectToActiveInstance(instance) }
}
