import type { Actor } from '#core/contracts/actor'
import { noInstance } from '#git/errors'
import {
  parseTextWebPath,
  type GuestConnection,
  getInstanceIdOfResource,
  connectToGuest,
} from '#guest/public'

/** What every call of git says about the folder that it means. */
export interface FolderRequest {
  /** Relative to the web root. */
  path?: string | null
  project_id?: number | null
  server_instance_id?: number | null
}

export interface InstanceFolder extends GuestConnection {
  path: string
}

/**
 * The folder on one of the person's own instances: a project's, the one named, or else the default
 * one. Throws 404 for other people's, 409 where nobody can work on it now, 422 for a bad path.
 */
export async function getInstanceFolder(
  actor: Actor,
  request: FolderRequest
): Promise<InstanceFolder> {
  const path = parseTextWebPath(request.path)
  return { ...(await connectToGuest(actor, await instanceIdOf(actor, request))), path }
}

async function instanceIdOf(actor: Actor, request: FolderRequest): Promise<number> {
  if (request.project_id) return getInstanceIdOfResource(actor, 'project', request.project_id)
  const id = request.server_instance_id ?? actor.account?.defaultInstanceId
  if (!id) throw noInstance()
  return id
}
