import type { Actor } from '#core/contracts/actor'
import type ServerInstance from '#instances/models/server_instance'
import { getInstance } from '#instances/queries/instances'
import { assertInstanceCan, type InstanceAction } from '#instances/states/instance'

/**
 * Returns an instance if its status allows work inside it. Checks no abilities: each module decides
 * what staff may do.
 * @throws 404 if it does not exist, is deleted or belongs to another customer; 409 with the reason if
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
