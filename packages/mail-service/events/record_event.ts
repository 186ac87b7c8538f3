import type { ServiceDatabase } from '../../service/database.js'
import type { MailEventType, SuppressionReason } from '../types.js'

export interface RecordEventOptions {
  now: () => Date
  onHooked: () => void
}

export interface MailMessageEvent {
  messageId: string
  type: Exclude<MailEventType, 'delivered'>
  detail: string
  /** Reason to add the recipient to the sender's suppression list. Default: the recipient is not added. */
  suppress?: SuppressionReason
  code?: number | null
  enhanced?: string | null
}

/**
 * Records an event of a message. Updates the daily count, suppressions and webhook deliveries, and the message's state
 * if it bounced after delivery. If the same event is reported again, only a deleted suppression is added again.
 */
const RECORD_EVENT_SQL = `
  with message as (
    select * from mail.messages where id = $1 and state in ('delivered', 'bounced', 'expired', 'sending', 'queued')
    for update
  ),
  happened as (
    insert into mail.events (id, sender_id, message_id, type, detail, at)
    select gen_random_uuid(), sender_id, id, $2, $3, $4::timestamptz from message
    on conflict do nothing
    returning id, sender_id, message_id, type
  ),
  bounced as (
    update mail.messages m set
      state = 'bounced', reason = $3, code = $5, enhanced = $6, final_at = coalesce(m.final_at, $4::timestamptz)
    from happened h where m.id = h.message_id and h.type = 'bounced' and m.state = 'delivered'
  ),
  counted as (
    insert into mail.usage (sender_id, account_id, day, bounced, complained, opened)
    select m.sender_id, m.account_id, ($4::timestamptz at time zone 'utc')::date,
      (h.type = 'bounced')::int, (h.type = 'complained')::int, (h.type = 'opened')::int
    from happened h join message m on m.id = h.message_id where h.type <> 'unsubscribed'
    on conflict (sender_id, day) do update set
      bounced = mail.usage.bounced + excluded.bounced,
      complained = mail.usage.complained + excluded.complained,
      opened = mail.usage.opened + excluded.opened
  ),
  suppressed as (
    insert into mail.suppressions (sender_id, recipient, reason, detail, message_id, created_at)
    select m.sender_id, lower(m.recipient), $7, $3, m.id, $4::timestamptz
    from message m join mail.senders s on s.id = m.sender_id where $7::text is not null
    on conflict do nothing
  ),
  hooked as (
    insert into mail.deliveries (webhook_id, event_id, next_at)
    select w.id, h.id, $4::timestamptz from happened h
    join mail.webhooks w on w.sender_id = h.sender_id and w.active and h.type = any (w.events)
    returning 1
  )
  select (select count(*) from happened) as happened, (select count(*) from hooked) as hooked`

/** Returns false if the event was recorded before, or if the message is missing, scheduled, suppressed or cancelled. */
export async function recordEvent(
  database: ServiceDatabase,
  happening: MailMessageEvent,
  options: RecordEventOptions
): Promise<boolean> {
  const { messageId, type, detail, suppress = null, code = null, enhanced = null } = happening
  const row = await database.row<{ happened: number; hooked: number }>(RECORD_EVENT_SQL, [
    messageId,
    type,
    detail,
    options.now(),
    code,
    enhanced,
    suppress,
  ])
  if (row?.hooked) options.onHooked()
  return !!row?.happened
}
