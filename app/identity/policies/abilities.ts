import type { Actor } from '#core/contracts/actor'
import { forbidden } from '#core/refusal'
import { no, type Verdict, yes } from '#core/verdict'

/**
 * What support may not do, each with the reason that the disabled button and the refused call give
 * (product, "People": support sees every admin screen and answers chat). Everything that is not
 * named here is open to all staff.
 */
export const administratorsOnly = {
  'staff.manage': 'Only administrators can manage staff.',
  'bills.decide': 'Only administrators can approve or reject bills.',
  'money.manage': 'Only administrators can change prices and rates.',
  'hosts.manage': 'Only administrators can add or change hosts.',
  'hosts.terminal': 'Only administrators can open host terminals.',
  'work.decide': 'Only administrators can retry or end stuck work.',
  'instances.change': 'Only administrators can change instances.',
} as const

export type Ability = keyof typeof administratorsOnly

/** True, or why not. */
export function can(actor: Pick<Actor, 'audience' | 'role'>, ability: Ability): true | string {
  if (actor.audience === 'staff' && actor.role === 'administrator') return true
  return administratorsOnly[ability]
}

/** Throws 403 with the reason. */
export function demand(actor: Pick<Actor, 'audience' | 'role'>, ability: Ability): void {
  const answer = can(actor, ability)
  if (answer !== true) throw forbidden(answer)
}

/** As `demand` where both areas have the call: customers act on what is their own. */
export function demandOfStaff(actor: Pick<Actor, 'audience' | 'role'>, ability: Ability): void {
  if (actor.audience === 'staff') demand(actor, ability)
}

/** The same for pages: the button with its reason. */
export function staffVerdict(actor: Pick<Actor, 'audience' | 'role'>, ability: Ability): Verdict {
  const answer = can(actor, ability)
  return answer === true ? yes : no(answer)
}

/** What a member of staff cannot do, with reasons: the shared page prop `unavailable`. */
export function unavailableTo(actor: Pick<Actor, 'audience' | 'role'>): Record<string, string> {
  if (actor.audience !== 'staff') return {}
  const names = Object.keys(administratorsOnly) as Ability[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const answer = can(actor, name)
      return answer === true ? [] : [[name, answer]]
    })
  )
}
