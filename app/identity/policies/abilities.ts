import type { Actor } from '#core/contracts/actor'
import { type Ability, gather } from '#core/domains'
import { forbidden } from '#core/refusal'
import { no, type Verdict, yes } from '#core/verdict'

/**
 * True, or why not. Domains name what support may not do (product, "People": support sees every admin
 * screen and answers chat); everything else is open to all staff.
 */
export function can(actor: Pick<Actor, 'audience' | 'role'>, ability: Ability): true | string {
  if (actor.audience === 'staff' && actor.role === 'administrator') return true
  return gather('abilities')[ability] ?? 'Only administrators can do this.'
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
  const names = Object.keys(gather('abilities')) as Ability[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const answer = can(actor, name)
      return answer === true ? [] : [[name, answer]]
    })
  )
}
