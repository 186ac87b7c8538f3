/** `active`: sends. `paused`: takes nothing, what waits goes on waiting (the account is suspended). `suspended`: the same, by staff. `deleted`: what waits is cancelled. */
export type SenderState = 'active' | 'paused' | 'suspended' | 'deleted'

/** `pending`: its records are not there. `active`: its mail is signed with its own key and comes back to its own return path. */
export type DomainState = 'pending' | 'active' | 'deleted'

/**
 * `scheduled`: not before its time. `queued`: goes as soon as it can, `attempts` of it failed for now. `sending`: somebody has it
 * under a lease. Final are `delivered` (the next server has taken it), `bounced` (refused for good, at once or by a
 * report later), `expired` (24 h of attempts), `suppressed` (never tried), `cancelled`.
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

/** What an attempt was. `fault`: ours (look-up, our disk, our settings), which never counts against a recipient. */
export type AttemptOutcome = 'delivered' | 'deferred' | 'refused' | 'fault'

export type SuppressionReason = 'bounced' | 'complained' | 'unsubscribed' | 'by_hand'

export type MailEventType = 'delivered' | 'bounced' | 'complained' | 'opened' | 'unsubscribed'

/** A DKIM key of a domain (RFC 6376). `next` is published before it signs, `retired` stays published for a week. */
export interface DkimKey {
  selector: string
  state: 'next' | 'active' | 'retired'
  /** Value of its TXT record. */
  record: string
  createdAt: string
}
