import { appKey, appUrl } from '#config/app'
import type { PreparedMail } from '#core/mail/send_mail'
import type Message from '#support/models/message'
import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Email replies refer to this Message-ID. It contains the customer's id, the last message's number,
 * and an HMAC against forgery.
 */
export function emailMessageIdOf(clientId: number, sequence: number): string {
  const thread = `support.${clientId}.${sequence}`
  return `${thread}.${sealOf(thread)}@${new URL(appUrl).hostname}`
}

/** Null if Berth did not create the Message-ID. */
export function clientIdOfEmailMessageId(id: string): number | null {
  const parts = /^<?(support\.(\d{1,15})\.\d{1,10})\.([\w-]{22})@/.exec(id.trim())
  if (!parts) return null
  const [, thread, client, seal] = parts
  return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(thread))) ? Number(client) : null
}

function sealOf(thread: string): string {
  const seal = createHmac('sha256', appKey.release()).update(`mail ${thread}`).digest('base64url')
  return seal.slice(0, 22)
}

/** @param replyTo null if Berth cannot receive email replies */
export function unreadMessagesMail(
  to: string,
  unread: Message[],
  replyTo: string | null
): PreparedMail {
  const last = unread.at(-1)!
  const lines = unread.flatMap((message) => [
    `${message.sender?.name ?? 'Support'}:`,
    message.text || `(${message.attachments.map(({ name }) => name).join(', ')})`,
    '',
  ])
  const many = unread.length > 1 ? `${unread.length} messages` : 'A message'
  return {
    to,
    subject: `${many} from support at Berth`,
    text: [
      ...lines,
      `Read and reply: ${appUrl}/?support`,
      ...(replyTo ? ['', 'You can also reply to this email.'] : []),
    ].join('\n'),
    messageId: emailMessageIdOf(last.clientId, last.sequence),
    ...(replyTo && { replyTo }),
  }
}
