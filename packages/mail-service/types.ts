/**
 * `paused`: the account is suspended. `suspended`: staff suspended the sender. In both states, new messages are
 * rejected and queued messages wait. `deleted`: queued messages are cancelled.
 */
export type SenderState = 'active' | 'paused' | 'suspended' | 'deleted'

/**
 * `pending`: the DNS records are missing. `active`: messages are signed with the domain's own key, and bounces go to a
 * return path in the domain.
 */
export type DomainState = 'pending' | 'active' | 'deleted'

/**
 * - `scheduled`: waits for its time. `queued`: waits for the next attempt, after `attempts` temporary failures.
 * - `sending`: a process has leased the message.
 * - Final: `delivered` (accepted by the next server), `bounced` (rejected permanently, at once or by a later report),
 *   `expired` (24 h of attempts), `suppressed` (never attempted), `cancelled`.
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

/** `fault`: a problem of Berth (look-up, disk, settings), which never counts against the recipient. */
export type AttemptOutcome = 'delivered' | 'deferred' | 'refused' | 'fault'

export type SuppressionReason = 'bounced' | 'complained' | 'unsubscribed' | 'by_hand'

export type MailEventType = 'delivered' | 'bounced' | 'complained' | 'opened' | 'unsubscribed'

/**
 * A DKIM key (RFC 6376). A `next` key does not sign yet, so that its DNS record can be published first. The record of a
 * `retired` key must stay in DNS for a week.
 */
export interface DkimKey {
  selector: string
  state: 'next' | 'active' | 'retired'
  record: string
  createdAt: string
}
