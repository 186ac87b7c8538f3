import type { Actor } from '#core/contracts/actor'
import { noInstance } from '#git/errors'
import { parseTextPathInWebRoot, getInstanceIdOfResource } from '#guest/public'
import { type GuestConnection, connectToGuest } from '#instances/public_effects'

export interface FolderRequest {
  /** Path of the folder, relative to the web root. */
  path?: string | null
  project_id?: number | null
  server_instance_id?: number | null
}

export interface InstanceFolder extends GuestConnection {
  path: string
}

/**
 * Returns a folder and its instance. This is the project's instance, the one with the given id, or
 * the account's default instance.
 * @throws 404 for instances of other accounts, 409 if the instance cannot be used now, 422 for an
 *   invalid path
 */
export async function getInstanceFolder(
  actor: Actor,
  request: FolderRequest
): Promise<InstanceFolder> {
  const path = parseTextPathInWebRoot(request.path)
  return { ...(await connectToGuest(actor, await instanceIdOf(actor, request))), path }
}

async function instanceIdOf(actor: Actor, request: FolderRequest): Promise<number> {
  if (request.project_id) return getInstanceIdOfResource(actor, 'project', request.project_id)
  const id = request.server_instance_id ?? actor.account?.defaultInstanceId
  if (!id) throw noInstance()
  return id
}
