/** Only staff can set `suspended`. `deleted` is final (docs/product.md, "Words and statuses"). */
export const projectStatuses = {
  active: 'Active',
  inactive: 'Inactive',
  suspended: 'Suspended',
  deleted: 'Deleted',
} as const

export type ProjectStatus = keyof typeof projectStatuses
