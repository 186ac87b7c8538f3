import type { Actor, MemberRole } from '#core/contracts/actor'
import { forbidden, Refusal } from '#core/refusal'
import { no, type Verdict, yes } from '#core/verdict'

/**
 * What support may not do, each with the reason that the disabled button and the refused call give
 * (product, "People": support sees every admin screen and answers chat). Everything that is not
 * named here is open to all staff.
 */
export const administratorsOnly = {
  'staff.manage': 'Only administrators can manage staff.',
  'customers.manage': 'Only administrators can suspend customers or sign them out.',
  'bills.decide': 'Only administrators can approve or reject bills.',
  'money.manage': 'Only administrators can change prices and rates.',
  'hosts.manage': 'Only administrators can add or change hosts.',
  'hosts.terminal': 'Only administrators can open host terminals.',
  'work.decide': 'Only administrators can retry or end stuck work.',
  'instances.change': 'Only administrators can change instances.',
} as const

/** What members of an account may do by their role, with the reason for the others (product, "Accounts"). */
export const byMemberRole = {
  'machines.use': {
    roles: ['owner', 'developer'],
    reason: 'Your role in this account is Billing: bills and payments only.',
  },
  'members.manage': { roles: ['owner'], reason: 'Only owners of the account can do this.' },
  'bills.pay': {
    roles: ['owner', 'billing'],
    reason: 'Only owners of the account and its billing members can pay.',
  },
} as const satisfies Record<string, { roles: readonly MemberRole[]; reason: string }>

export type StaffAbility = keyof typeof administratorsOnly
export type MemberAbility = keyof typeof byMemberRole
export type Ability = StaffAbility | MemberAbility

type Asker = Pick<Actor, 'audience' | 'role' | 'account'>

const isMemberAbility = (ability: Ability): ability is MemberAbility => ability in byMemberRole

/** True, or why not. */
export function can(actor: Asker, ability: Ability): true | string {
  if (isMemberAbility(ability)) {
    const { roles, reason } = byMemberRole[ability]
    const { account } = actor
    return account && (roles as readonly MemberRole[]).includes(account.role) ? true : reason
  }
  if (actor.audience === 'staff' && actor.role === 'administrator') return true
  return administratorsOnly[ability]
}

/** Throws 403 with the reason. */
export function demand(actor: Asker, ability: Ability): void {
  const answer = can(actor, ability)
  if (answer !== true) throw forbidden(answer)
}

/** As `demand` where both areas have the call: customers act on what is their own. */
export function demandOfStaff(actor: Asker, ability: StaffAbility): void {
  if (actor.audience === 'staff') demand(actor, ability)
}

/** Throws 403 where a customer's account is suspended or closed: it can be read, not changed. */
export function demandActive({ account }: Pick<Actor, 'account'>): void {
  if (!account || account.status === 'active') return
  throw new Refusal(`account_${account.status}`, 403, standingReason(account)!)
}

/** Why nothing of an account can be changed; null while it is active. */
export function standingReason({
  status,
  statusReason,
}: Pick<NonNullable<Actor['account']>, 'status' | 'statusReason'>): string | null {
  if (status === 'active') return null
  const because = statusReason ? ` Reason: ${statusReason}` : ''
  return `This account is ${status}: everything can be read and paid, nothing else.${because}`
}

/** The same for pages: the button with its reason. */
export function staffVerdict(actor: Asker, ability: StaffAbility): Verdict {
  const answer = can(actor, ability)
  return answer === true ? yes : no(answer)
}

/** What somebody cannot do in their area, with reasons: the shared page prop `unavailable`. */
export function unavailableTo(actor: Asker): Record<string, string> {
  const names = Object.keys(actor.audience === 'staff' ? administratorsOnly : byMemberRole)
  return Object.fromEntries(
    (names as Ability[]).flatMap((name) => {
      const answer = can(actor, name)
      return answer === true ? [] : [[name, answer]]
    })
  )
}
