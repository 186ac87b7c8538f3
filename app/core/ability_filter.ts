import type { Actor } from '#core/contracts/actor'
import { coreDependencies } from '#core/core_dependencies'

/** Whether this person may use what needs an ability; what needs none is for everybody. */
export function createAbilityFilter(actor: Actor): (what: { needs?: string }) => boolean {
  const unavailable = coreDependencies.unavailableTo?.(actor) ?? {}
  return ({ needs }) => !needs || !(needs in unavailable)
}
