import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/refusal'

type Find = (actor: Actor, id: unknown) => Promise<number>

const finders = new Map<string, Find>()

/** A domain above says on which instance its things live. Throws 404 for what a person may not reach. */
export function livesOn(noun: string, find: Find): void {
  finders.set(noun, find)
}

/** The id of the instance on which a thing lives; the same 404 for unknown and other people's things. */
export function instanceWith(actor: Actor, noun: string, id: unknown): Promise<number> {
  const find = finders.get(noun)
  return find ? find(actor, id) : Promise.reject(notFound(noun))
}
