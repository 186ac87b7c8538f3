import type { ControlHandlers } from '#packages/service/control_handler'
import type { ServiceDatabase } from '../../service/database.js'
import type { ControlApi } from '../control/contract.js'
import type { ReplyMail } from './verify_reply_mail.js'

const REPLY_MAILBOX = 'reply'
/**
 * Maximum number of stored replies. A reply is stored until the console confirms it (`forgetReplies`). For further
 * replies, the sender's server gets a temporary error.
 */
const MAX_WAITING_REPLIES = 10_000
const REPLY_BATCH_SIZE = 100

/** `null` if the service receives no mail. */
export function replyAddress(options: { host?: string; inboundPort?: number }): string | null {
  const { host, inboundPort } = options
  return host && inboundPort !== undefined ? `${REPLY_MAILBOX}@${host}` : null
}

/** Stores a reply, unless it is already stored. Returns false if too many replies are waiting for the console. */
export async function saveReplyMail(database: ServiceDatabase, reply: ReplyMail): Promise<boolean> {
  const { messageId, sender, refs, body } = reply
  const [row] = await database.rows<{ room: boolean }>(
    `with room as (select count(*) < ${MAX_WAITING_REPLIES} as room from mail.replies),
     kept as (
       insert into mail.replies (message_id, sender, refs, body)
       select $1, $2, $3, $4 from room where room on conflict (message_id) do nothing)
     select room from room`,
    [messageId.slice(0, 500), sender, refs, body]
  )
  return row!.room
}

/** Handles two calls of the console: one fetches replies, and the other confirms that the console has stored them. */
export function replyMailHandlers(
  database: ServiceDatabase
): Pick<ControlHandlers<ControlApi>, 'replies' | 'forgetReplies'> {
  return {
    replies: () =>
      database.rows(
        `select id::int, message_id as "messageId", sender, refs, body
         from mail.replies order by id limit ${REPLY_BATCH_SIZE}`
      ),
    async forgetReplies({ ids }) {
      await database.rows('delete from mail.replies where id = any($1)', [ids])
      return {}
    },
  }
}
