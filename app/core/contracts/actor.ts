import { AppError } from '#core/app_error'

/** The two audiences, each with a session of its own (product, "People"). */
export type Audience = 'customer' | 'staff'
export type StaffRole = 'administrator' | 'support'
export type ColorScheme = 'auto' | 'light' | 'dark'

/** What members of an account may do (product, "Accounts"). */
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

/** The account that somebody acts for. */
export type ActorAccount = {
  id: number
  name: string
  role: MemberRole
  status: AccountStatus
  /** Why it is not active, in words for its members. */
  statusReason: string | null
  /** The member's own choice in it. */
  defaultInstanceId: number | null
}

/** Who acts in a request. Set by `app/identity`, read by everybody. */
export interface Actor {
  id: number
  audience: Audience
  name: string
  email: string
  /** Staff only. */
  role: StaffRole | null
  /** Staff only: what stands below the name. */
  title?: string | null
  /** Customers only: whose things are theirs; null for a member of no account. */
  account: ActorAccount | null
  /** All that a customer is a member of, the account that they act for among them. */
  accounts?: { id: number; name: string; role: MemberRole }[]
  colorScheme?: ColorScheme
}

/** The id of the account that a customer acts for. Throws 403 for a member of none. */
export function accountIdOf({ account }: Pick<Actor, 'account'>): number {
  if (account) return account.id
  throw new AppError(
    'no_account',
    403,
    'You are not a member of any account. Ask an owner to invite you.'
  )
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The signed-in person of the area that the request belongs to. */
    actor?: Actor
    /** The device (table `devices`) that this session belongs to. */
    deviceId?: string
  }
}
