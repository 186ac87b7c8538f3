import type { Actor } from '#core/contracts/actor'
import { type Ability, collectFromModules, type StaffAbility } from '#core/modules'
import { forbidden, AppError } from '#core/app_error'
import { denied, type Permission, ALLOWED } from '#core/permission'

type Asker = Pick<Actor, 'audience' | 'role' | 'account'>

/**
 * True, or why not. Domains name what support may not do (product, "People": support sees every admin
 * screen and answers chat), and what members may do by their role (product, "Accounts"); everything
 * else is open.
 */
export function checkAbility(actor: Asker, ability: Ability): true | string {
  const rule = collectFromModules('memberAbilities')[ability]
  if (rule) {
    const { account } = actor
    return account && rule.roles.includes(account.role) ? true : rule.reason
  }
  if (actor.audience === 'staff' && actor.role === 'administrator') return true
  return collectFromModules('staffAbilities')[ability] ?? 'Only administrators can do this.'
}

/** Throws 403 with the reason. */
export function assertAbility(actor: Asker, ability: Ability): void {
  const answer = checkAbility(actor, ability)
  if (answer !== true) throw forbidden(answer)
}

/** As `assertAbility` where both areas have the call: customers act on what is their own. */
export function assertAbilityIfStaff(actor: Asker, ability: StaffAbility): void {
  if (actor.audience === 'staff') assertAbility(actor, ability)
}

/** Throws 403 where a customer's account is suspended or closed: it can be read, not changed. */
export function assertActiveAccount({ account }: Pick<Actor, 'account'>): void {
  if (!account || account.status === 'active') return
  throw new AppError(`account_${account.status}`, 403, suspensionReason(account)!)
}

/** Why nothing of an account can be changed; null while it is active. */
export function suspensionReason({
  status,
  statusReason,
}: Pick<NonNullable<Actor['account']>, 'status' | 'statusReason'>): string | null {
  if (status === 'active') return null
  const because = statusReason ? ` Reason: ${statusReason}` : ''
  return `This account is ${status}: you can view everything and pay bills, but change nothing else.${because}`
}

/** The same for pages: the button with its reason. */
export function checkStaffPermission(actor: Asker, ability: StaffAbility): Permission {
  const answer = checkAbility(actor, ability)
  return answer === true ? ALLOWED : denied(answer)
}

/** What somebody cannot do in their area, with reasons: the shared page prop `unavailable`. */
export function listUnavailableAbilities(actor: Asker): Record<string, string> {
  const named =
    actor.audience === 'staff'
      ? collectFromModules('staffAbilities')
      : collectFromModules('memberAbilities')
  const names = Object.keys(named)
  return Object.fromEntries(
    (names as Ability[]).flatMap((name) => {
      const answer = checkAbility(actor, name)
      return answer === true ? [] : [[name, answer]]
    })
  )
}
