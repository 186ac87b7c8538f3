import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/refusal'

/** Where a project lives. */
export interface ProjectPlace {
  id: number
  serverInstanceId: number
}

interface Source {
  /** A project that this person may reach. Throws 404 for unknown and other people's alike. */
  find(actor: Actor, id: unknown): Promise<ProjectPlace>
}

/** Bound by the domain that has projects; until then there are none. */
export const projectPlaces: Source = {
  find: () => Promise.reject(notFound('project')),
}
