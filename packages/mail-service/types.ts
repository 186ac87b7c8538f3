/**
 * `paused`: because the account is suspended, new messages are rejected and queued messages wait. `suspended`: the
 * same, because staff suspended the sender. `deleted`: queued messages are cancelled.
 */
export type SenderState = 'active' | 'paused' | 'suspended' | 'deleted'

/**
 * `pending`: the DNS records are missing. `active`: the domain's own key signs messages, and its own return path
 * receives bounces.
 */
export type DomainState = 'pending' | 'active' | 'deleted'

/**
 * - `scheduled`: waits for its time. `queued`: waits for the next attempt, after `attempts` temporary failures.
 * - `sending`: a process has leased it.
 * - Final: `delivered` (accepted by the next server), `bounced` (rejected permanently, at once or by a later
 * report), `expired` (24 h of attempts), `suppressed` (never attempted), `cancelled`.
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

/** A DKIM key (RFC 6376). A `next` key is in DNS before it signs. A `retired` key stays in DNS for a week. */
export interface DkimKey {
  selector: string
  state: 'next' | 'active' | 'retired'
  record: string
  createdAt: string
}
