import type { Actor } from '#core/contracts/actor'
import { noInstance } from '#git/errors'
import { cleanTextPath, type Guest, instanceWith, reachGuest } from '#guest/public'

/** What every call of git says about the folder that it means. */
export interface PlaceAsked {
  /** Relative to the web root. */
  path?: string | null
  project_id?: number | null
  server_instance_id?: number | null
}

export interface Place extends Guest {
  path: string
}

/**
 * The folder on one of the person's own instances: a project's, the one named, or else the default
 * one. Throws 404 for other people's, 409 where nobody can work on it now, 422 for a bad path.
 */
export async function findPlace(actor: Actor, asked: PlaceAsked): Promise<Place> {
  const path = cleanTextPath(asked.path)
  return { ...(await reachGuest(actor, await instanceIdOf(actor, asked))), path }
}

async function instanceIdOf(actor: Actor, asked: PlaceAsked): Promise<number> {
  if (asked.project_id) return instanceWith(actor, 'project', asked.project_id)
  const id = asked.server_instance_id ?? actor.account?.defaultInstanceId
  if (!id) throw noInstance()
  return id
}
