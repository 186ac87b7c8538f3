import type { Actor } from '#core/contracts/actor'
import { upperServices } from '#core/upper_services'

/** Whether this person may use what needs an ability; what needs none is for everybody. */
export function mayUse(actor: Actor): (what: { needs?: string }) => boolean {
  const unavailable = upperServices.unavailableTo?.(actor) ?? {}
  return ({ needs }) => !needs || !(needs in unavailable)
}
