import { sendMail } from '#core/mail/send_mail'
import { loadReplyAddress } from '#mail/public'
import { UNREAD_MESSAGES_MAIL_DELAY_MINUTES } from '#support/limits'
import { unreadMessagesMail } from '#support/mails'
import Conversation from '#support/models/conversation'
import Message from '#support/models/message'
import db from '@adonisjs/lucid/services/db'

/**
 * Emails customers once a message of staff has been unread for some minutes. The email contains all
 * unread messages that were not emailed before. An open page marks messages as read only while it is
 * visible and scrolled to the newest ones.
 */
export async function mailUnreadMessages(): Promise<void> {
  const due: { client_id: number }[] = await db
    .from('support_messages as m')
    .join('support_conversations as c', 'c.client_id', 'm.client_id')
    .where('m.side', 'staff')
    .whereRaw('m.sequence > greatest(c.client_read, c.mailed)')
    .whereRaw(`m.created_at < now() - make_interval(mins => ?)`, [
      UNREAD_MESSAGES_MAIL_DELAY_MINUTES,
    ])
    .distinct('m.client_id')
    .limit(1_000)
  if (due.length === 0) return
  const replyTo = await loadReplyAddress()
  for (const { client_id: clientId } of due) await mailOne(clientId, replyTo)
}

/** Marks messages as emailed in the transaction that queues the email, so that none is sent twice. */
async function mailOne(clientId: number, replyTo: string | null): Promise<void> {
  await db.transaction(async (trx) => {
    const conversation = await Conversation.query({ client: trx })
      .where({ clientId })
      .preload('client')
      .forUpdate()
      .firstOrFail()
    const { clientRead, mailed, client } = conversation
    const unread = await Message.query({ client: trx })
      .where({ clientId, side: 'staff' })
      .where('sequence', '>', Math.max(clientRead, mailed))
      .orderBy('sequence')
      .preload('sender')
      .preload('attachments')
    if (unread.length === 0) return
    if (!client.disabledAt) {
      await sendMail(unreadMessagesMail(client.email, unread, replyTo), trx)
    }
    await conversation.merge({ mailed: unread.at(-1)!.sequence }).save()
  })
}
