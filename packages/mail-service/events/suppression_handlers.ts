import type { ServiceDatabase } from '../../service/database.js'
import type { SuppressionEntry } from '../control/contract.js'
import type { OutgoingHandlers } from '../outgoing_mail_types.js'

/** Counts of suppression lists are exact up to this number. */
const MAX_SUPPRESSION_COUNT = 10_000

export function suppressionHandlers(
  database: ServiceDatabase
): Pick<OutgoingHandlers, 'suppressions' | 'suppress' | 'unsuppress'> {
  return {
    async suppressions({ senderId, search = '', limit, offset }) {
      const wanted = `sender_id = $1 and ($2 = '' or position(lower($2) in recipient) > 0)`
      const rows = await database.rows<{
        recipient: string
        reason: SuppressionEntry['reason']
        detail: string
        message_id: string | null
        created_at: Date
      }>(
        `select recipient, reason, detail, message_id, created_at from mail.suppressions where ${wanted}
         order by created_at desc, recipient limit $3 offset $4`,
        [senderId, search, limit, offset]
      )
      const total = await database.row<{ count: number }>(
        `select count(*) from (select 1 from mail.suppressions where ${wanted} limit ${MAX_SUPPRESSION_COUNT}) found`,
        [senderId, search]
      )
      const suppressions = rows.map((row) => ({
        recipient: row.recipient,
        reason: row.reason,
        detail: row.detail,
        messageId: row.message_id,
        at: row.created_at.toISOString(),
      }))
      return { suppressions, count: total!.count }
    },
    async suppress({ senderId, recipient, detail }) {
      await database.rows(
        `insert into mail.suppressions (sender_id, recipient, reason, detail)
         values ($1, lower($2), 'by_hand', $3) on conflict do nothing`,
        [senderId, recipient.trim(), detail]
      )
      return {}
    },
    async unsuppress({ senderId, recipient }) {
      await database.rows(
        'delete from mail.suppressions where sender_id = $1 and recipient = lower($2)',
        [senderId, recipient.trim()]
      )
      return {}
    },
  }
}
