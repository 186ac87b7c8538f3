/** `pending` until its link is opened or its domain is active; `suspended` is given and taken by staff; `deleted` is terminal (product, "Words and statuses"). */
export const senderStatuses = {
  pending: 'Pending',
  verified: 'Verified',
  suspended: 'Suspended',
  deleted: 'Deleted',
} as const

export type SenderStatus = keyof typeof senderStatuses

/** `pending`: its records are not there, or not any more. */
export const mailDomainStatuses = {
  pending: 'Pending',
  active: 'Active',
  deleted: 'Deleted',
} as const

export type MailDomainStatus = keyof typeof mailDomainStatuses

/** States of messages as people read them. */
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

/** What webhooks can be told of. */
export const webhookEvents = {
  delivered: 'Delivered',
  bounced: 'Bounced',
  complained: 'Complained',
  opened: 'Opened',
  unsubscribed: 'Unsubscribed',
} as const
