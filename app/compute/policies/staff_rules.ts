import type { Verdict } from '#compute/policies/instance_rules'
import type { Actor } from '#core/contracts/actor'
import { forbidden } from '#core/refusal'

/** The words at every button that only administrators can press (decisions, "People"). */
export const ADMINISTRATORS_ONLY = 'Only administrators can do this.'

/** Hosts, packages and other people's instances are changed by administrators only. */
export function mayManageCompute(actor: Actor): boolean {
  return actor.audience === 'staff' && actor.role === 'administrator'
}

/** Refuses (403) everybody else. */
export function assertMayManageCompute(actor: Actor): void {
  if (!mayManageCompute(actor)) throw forbidden(ADMINISTRATORS_ONLY)
}

/** The same for pages: the button with its reason. */
export function manageVerdict(actor: Actor): Verdict {
  return mayManageCompute(actor)
    ? { allowed: true, reason: null }
    : { allowed: false, reason: ADMINISTRATORS_ONLY }
}
