import type { MemberRole } from './types'

export const roleChoices: { value: MemberRole; label: string }[] = [
  { value: 'owner', label: 'Owner: full access, including members and bills' },
  {
    value: 'developer',
    label: 'Developer: servers, sites, databases, vaults and email; can view bills',
  },
  { value: 'billing', label: 'Billing: bills and payments only' },
]
