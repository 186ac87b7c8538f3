/**
 * `pending` until the verification link is opened or the domain becomes active. `suspended` is set
 * and ended by staff. `deleted` is terminal (docs/product.md, "Words and statuses").
 */
export const senderStatuses = {
  pending: 'Pending',
  verified: 'Verified',
  suspended: 'Suspended',
  deleted: 'Deleted',
} as const

export type SenderStatus = keyof typeof senderStatuses

/** `pending`: the DNS records are missing or wrong. */
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
