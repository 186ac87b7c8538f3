import type { Actor } from '#core/contracts/actor'
import { type Ability, collectFromModules, type StaffAbility } from '#core/modules'
import { forbidden, AppError } from '#core/app_error'
import { denied, type Permission, ALLOWED } from '#core/permission'

type Asker = Pick<Actor, 'audience' | 'role' | 'account'>

/**
 * Returns true if a person has an ability, otherwise the reason why not. Modules list the abilities that support
 * staff lack, and which member roles have which abilities. Actions without an ability are open to all.
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

/** @throws 403 with the reason if the person lacks the ability */
export function assertAbility(actor: Asker, ability: Ability): void {
  const answer = checkAbility(actor, ability)
  if (answer !== true) throw forbidden(answer)
}

/**
 * Throws if a staff member lacks the ability. Customers pass, because they act on their own resources. Both areas
 * can therefore share an action.
 */
export function assertAbilityIfStaff(actor: Asker, ability: StaffAbility): void {
  if (actor.audience === 'staff') assertAbility(actor, ability)
}

/** @throws 403 if the customer's account is suspended or closed */
export function assertActiveAccount({ account }: Pick<Actor, 'account'>): void {
  if (!account || account.status === 'active') return
  throw new AppError(`account_${account.status}`, 403, suspensionReason(account)!)
}

/** Returns why the account can only be read. `null`: the account is active. */
export function suspensionReason({
  status,
  statusReason,
}: Pick<NonNullable<Actor['account']>, 'status' | 'statusReason'>): string | null {
  if (status === 'active') return null
  const because = statusReason ? ` Reason: ${statusReason}` : ''
  return `This account is ${status}: you can view everything and pay bills, but change nothing else.${because}`
}

export function checkStaffPermission(actor: Asker, ability: StaffAbility): Permission {
  const answer = checkAbility(actor, ability)
  return answer === true ? ALLOWED : denied(answer)
}

/** Returns the page prop `unavailable`, which all pages have: abilities that the person lacks, with the reasons. */
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
