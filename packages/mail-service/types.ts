/**
 * `paused`: the account is suspended, new messages are rejected and queued ones wait. `suspended`: the same,
 * by staff. `deleted`: queued messages are cancelled.
 */
export type SenderState = 'active' | 'paused' | 'suspended' | 'deleted'

/**
 * `pending`: the DNS records are missing. `active`: messages are signed with the domain's own key and bounce
 * to its own return path.
 */
export type DomainState = 'pending' | 'active' | 'deleted'

/**
 * - `scheduled`: waits for its time. `queued`: is sent as soon as possible, after `attempts` temporary
 *   failures.
 * - `sending`: leased by a process.
 * - Final: `delivered` (accepted by the next server), `bounced` (rejected for good, immediately or by a later
 *   report), `expired` (24 h of attempts), `suppressed` (never attempted), `cancelled`.
 */
export type MessageState =
  | 'scheduled'
  | 'queued'
  | 'sending'
  | 'delivered'
  | 'bounced'
  | 'expired'
  | 'suppressed'
  | 'cancelled'

/** `fault` is our own problem (look-up, disk, settings) and never counts against a recipient. */
export type AttemptOutcome = 'delivered' | 'deferred' | 'refused' | 'fault'

export type SuppressionReason = 'bounced' | 'complained' | 'unsubscribed' | 'by_hand'

export type MailEventType = 'delivered' | 'bounced' | 'complained' | 'opened' | 'unsubscribed'

/** RFC 6376. `next` is published before it signs. `retired` stays published for a week. */
export interface DkimKey {
  selector: string
  state: 'next' | 'active' | 'retired'
  /** Value of the TXT record. */
  record: string
  createdAt: string
}
