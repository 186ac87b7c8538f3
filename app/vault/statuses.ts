/** `deleted` is terminal; `suspended` is given and taken by staff (product, "Words and statuses"). */
export const vaultStatuses = {
  active: 'Active',
  suspended: 'Suspended',
  deleted: 'Deleted',
} as const

export type VaultStatus = keyof typeof vaultStatuses
