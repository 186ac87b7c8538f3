/** `deleted` is terminal; only staff suspend (product, "Words and statuses"). */
export const projectStatuses = {
  active: 'Active',
  inactive: 'Inactive',
  suspended: 'Suspended',
  deleted: 'Deleted',
} as const

export type ProjectStatus = keyof typeof projectStatuses
