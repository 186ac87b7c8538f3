/** Only staff set and remove `suspended`. `deleted` is final (docs/product.md, "Words and statuses"). */
export const vaultStatuses = {
  active: 'Active',
  suspended: 'Suspended',
  deleted: 'Deleted',
} as const

export type VaultStatus = keyof typeof vaultStatuses
