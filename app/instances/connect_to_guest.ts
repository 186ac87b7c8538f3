import { notFound } from '#core/app_error'
import type { Actor } from '#core/contracts/actor'
import { connectToActiveInstance } from '#instances/instance_machines'
import ServerInstance from '#instances/models/server_instance'
import { loadUsableInstance } from '#instances/queries/usable_instance'
import type { Machine } from '#packages/machine/main'

export interface GuestConnection {
  instance: ServerInstance
  machine: Machine
}

/**
 * Returns an instance as `loadUsableInstance` does, with a connection to it.
 * @throws 503 if the instance's host is offline and the instance does not respond
 */
export async function connectToGuest(actor: Actor, id: unknown): Promise<GuestConnection> {
  const instance = await loadUsableInstance(actor, id)
  return { instance, machine: await connectToActiveInstance(instance) }
}

/**
 * Connects without a permission check: permission was checked when the operation was requested.
 * @throws 404 if the instance was deleted, AppError if it does not run
 */
export async function connectToGuestForOperation(id: number): Promise<GuestConnection> {
  const instance = await ServerInstance.live().where('id', id).first()
  if (!instance) throw notFound('server instance')
  return { instance, machine: await connectToActiveInstance(instance) }
}
