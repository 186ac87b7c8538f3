import { appKey, appUrl } from '#config/app'
import type { PreparedMail } from '#core/mail/send_mail'
import type Message from '#support/models/message'
import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The Message-ID of a mail about a conversation, which an answer names: whose it is, up to which message, and our seal,
 * so that nobody makes one up.
 */
export function emailMessageIdOf(clientId: number, sequence: number): string {
  const thread = `support.${clientId}.${sequence}`
  return `${thread}.${sealOf(thread)}@${new URL(appUrl).hostname}`
}

/** Whose conversation a Message-ID is about; null for one that we did not make. */
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

/** What a customer who is away has not read. `replyTo` where answers by mail come back to us. */
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
