import type { Actor } from '#core/contracts/actor'
import { noInstance } from '#git/errors'
import { cleanTextPath, type Guest, findInstanceIdOf, connectToGuest } from '#guest/public'

/** What every call of git says about the folder that it means. */
export interface FolderRequest {
  /** Relative to the web root. */
  path?: string | null
  project_id?: number | null
  server_instance_id?: number | null
}

export interface Folder extends Guest {
  path: string
}

/**
 * The folder on one of the person's own instances: a project's, the one named, or else the default
 * one. Throws 404 for other people's, 409 where nobody can work on it now, 422 for a bad path.
 */
export async function findFolder(actor: Actor, asked: FolderRequest): Promise<Folder> {
  const path = cleanTextPath(asked.path)
  return { ...(await connectToGuest(actor, await instanceIdOf(actor, asked))), path }
}

async function instanceIdOf(actor: Actor, asked: FolderRequest): Promise<number> {
  if (asked.project_id) return findInstanceIdOf(actor, 'project', asked.project_id)
  const id = asked.server_instance_id ?? actor.account?.defaultInstanceId
  if (!id) throw noInstance()
  return id
}
