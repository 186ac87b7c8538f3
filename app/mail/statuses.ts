/**
 * Statuses of a sender (docs/product.md, "Words and statuses"). `pending`: verified neither by a
 * link nor by its domain. `suspended`: staff suspended the sender, and can resume it. `deleted`:
 * final.
 */
export const senderStatuses = {
  pending: 'Pending',
  verified: 'Verified',
  suspended: 'Suspended',
  deleted: 'Deleted',
} as const

export type SenderStatus = keyof typeof senderStatuses

/**
 * `pending`: DNS records are missing or wrong, or were not checked yet, or the domain is active in
 * another account.
 */
export const mailDomainStatuses = {
  pending: 'Pending',
  active: 'Active',
  deleted: 'Deleted',
} as const

export type MailDomainStatus = keyof typeof mailDomainStatuses

export const messageStates = {
  scheduled: 'Scheduled',
  queued: 'Waiting',
  sending: 'Sending',
  delivered: 'Delivered',
  bounced: 'Bounced',
  expired: 'Expired',
  suppressed: 'Suppressed',
  cancelled: 'Cancelled',
} as const

export const webhookEvents = {
  delivered: 'Delivered',
  bounced: 'Bounced',
  complained: 'Complained',
  opened: 'Opened',
  unsubscribed: 'Unsubscribed',
} as const
