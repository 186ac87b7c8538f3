import { AppError } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'

/** The two audiences. Each has a separate session (product, "People"). */
export type Audience = 'customer' | 'staff'
export type StaffRole = 'administrator' | 'support'
export type ColorScheme = 'auto' | 'light' | 'dark'

/** Roles of an account's members (product, "Accounts"). */
export const memberRoles = {
  owner: 'Owner',
  developer: 'Developer',
  billing: 'Billing',
} as const
export type MemberRole = keyof typeof memberRoles

export const accountStatuses = {
  active: 'Active',
  suspended: 'Suspended',
  closed: 'Closed',
} as const
export type AccountStatus = keyof typeof accountStatuses

/** The account that a person acts for. */
export type ActorAccount = {
  id: number
  name: string
  role: MemberRole
  status: AccountStatus
  /** Reason for a status other than `active`, written for the members. */
  statusReason: string | null
  /** The member's default instance in this account. */
  defaultInstanceId: number | null
}

/** The person who makes a request. `app/identity` sets it for all modules. */
export interface Actor {
  id: number
  audience: Audience
  name: string
  email: string
  /** Staff only. */
  role: StaffRole | null
  /** Staff only: job title, shown below the name. */
  title?: string | null
  /** Customers only: the account whose resources they use. `null` if they are a member of none. */
  account: ActorAccount | null
  /** All accounts of a customer, including the current one. */
  accounts?: { id: number; name: string; role: MemberRole }[]
  colorScheme?: ColorScheme
}

/**
 * Returns the id of the account that a customer acts for.
 * @throws 403 if they are a member of none
 */
export function accountIdOf({ account }: Pick<Actor, 'account'>): number {
  if (account) return account.id
  throw new AppError(
    'no_account',
    403,
    'You are not a member of any account. Ask an owner to invite you.'
  )
}

/** Returns the person and the IP address behind a request, for the audit log. */
export function requesterOf({ actor, request }: HttpContext): { actor: Actor; ip: string } {
  return { actor, ip: request.ip() }
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The person who makes the request. Throws on routes without the middleware `signedIn`. */
    readonly actor: Actor
    /** The person who is signed in to the area of this request. For routes without `signedIn`. */
    actorIfSignedIn?: Actor
    /** Id of the signed-in device (table `devices`) of this session. */
    deviceId?: string
  }
}
