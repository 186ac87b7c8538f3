import { AppError } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'

export type Audience = 'customer' | 'staff'
export type StaffRole = 'administrator' | 'support'
export type ColorScheme = 'auto' | 'light' | 'dark'

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

export type ActorAccount = {
  id: number
  name: string
  role: MemberRole
  status: AccountStatus
  /** Why the status is not `active`. Members of the account read it. */
  statusReason: string | null
  defaultInstanceId: number | null
}

/** The person who makes a request. */
export interface Actor {
  id: number
  audience: Audience
  name: string
  email: string
  /** Role of a staff member. `null` for customers. */
  role: StaffRole | null
  /** Job title of a staff member. */
  title?: string | null
  /** The account that a customer acts for. `null` for staff, and for customers who are a member of no account. */
  account: ActorAccount | null
  accounts?: { id: number; name: string; role: MemberRole }[]
  colorScheme?: ColorScheme
}

/** @throws 403 if the person acts for no account: staff, and customers who are a member of none */
export function accountIdOf({ account }: Pick<Actor, 'account'>): number {
  if (account) return account.id
  throw new AppError(
    'no_account',
    403,
    'You are not a member of any account. Ask an owner to invite you.'
  )
}

export function requesterOf({ actor, request }: HttpContext): { actor: Actor; ip: string } {
  return { actor, ip: request.ip() }
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The signed-in person. Throws on routes without the middleware `signedIn`. */
    readonly actor: Actor
    /** The signed-in person, on any route. Undefined if nobody is signed in. */
    actorIfSignedIn?: Actor
    deviceId?: string
  }
}
