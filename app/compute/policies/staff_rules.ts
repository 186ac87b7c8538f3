import type { Verdict } from '#compute/policies/instance_rules'
import { type Ability, type Actor, can, demand } from '#identity/public'

/** What staff need to change something here. */
type ComputeAbility = Extract<Ability, 'hosts.manage' | 'hosts.terminal' | 'instances.change'>

/** Refuses (403, with the reason) who may not; customers act on their own instances. */
export function demandOfStaff(actor: Actor, ability: ComputeAbility): void {
  if (actor.audience === 'staff') demand(actor, ability)
}

/** The same for pages: the button with its reason. */
export function staffVerdict(actor: Actor, ability: ComputeAbility): Verdict {
  const answer = can(actor, ability)
  return answer === true ? { allowed: true, reason: null } : { allowed: false, reason: answer }
}
