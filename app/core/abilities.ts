import type { Actor } from '#core/contracts/actor'
import { services } from '#core/services'

/** Whether this person may use what needs an ability; what needs none is for everybody. */
export function mayUse(actor: Actor): (what: { needs?: string }) => boolean {
  const unavailable = services.unavailableTo?.(actor) ?? {}
  return ({ needs }) => !needs || !(needs in unavailable)
}
