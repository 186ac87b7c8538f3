import type { Actor } from '#core/contracts/actor'
import { coreDependencies } from '#core/core_dependencies'

/** Keeps items without `needs`, and items whose ability this person has. */
export function createAbilityFilter(actor: Actor): (what: { needs?: string }) => boolean {
  const unavailable = coreDependencies.unavailableTo?.(actor) ?? {}
  return ({ needs }) => !needs || !(needs in unavailable)
}
