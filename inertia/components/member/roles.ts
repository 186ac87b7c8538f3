import type { MemberRole } from './types'

/** What each role may do, as it is offered. */
export const roleChoices: { value: MemberRole; label: string }[] = [
  { value: 'owner', label: 'Owner: everything, members and bills too' },
  { value: 'developer', label: 'Developer: servers, sites, databases, vaults, mail; sees bills' },
  { value: 'billing', label: 'Billing: bills and payments only' },
]
