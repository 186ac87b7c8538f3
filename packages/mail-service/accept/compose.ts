import MailComposer from 'nodemailer/lib/mail-composer'
import { trackingPixelToken, unsubscribeAddress, unsubscribeToken } from '../message_tokens.js'
import type { Message } from './message.js'
import { textParser } from '../parsing/untrusted_text_parser.js'
import { composeWithoutAttachments } from './compose_without_attachments.js'

export interface ComposeOptions {
  id: string
  host: string
  /** Message-ID without angle brackets. Default: a new one. */
  messageId?: string | null
  /** MAIL_KEY, the key that signs the tokens in links. */
  key: string
  /** Base URL of the links in messages. */
  publicUrl: string
  trackOpens: boolean
  /**
   * ID of the sender. Each sender may have only a limited number of waiting HTML conversions. Undefined for Berth's own
   * emails, which share one such limit.
   */
  sender?: string
  /** Domain at which the service receives mail. If set, recipients can also unsubscribe by email. */
  inbound?: string
}

/**
 * Returns the bytes of the message (RFC 5322) as they are sent, but without the DKIM signature.
 * @throws HtmlTooComplexError, ParseLimitExceededError, ParserBusyError if the text part must be generated from HTML
 */
export async function composeMessage(message: Message, composing: ComposeOptions): Promise<Buffer> {
  const { id, host, key, publicUrl, trackOpens, inbound } = composing
  const { from, to, html, text, headers, attachments } = message
  const unsubscribe = message.unsubscribe && {
    'List-Unsubscribe': [
      `${publicUrl}/u/${unsubscribeToken(key, id)}`,
      ...(inbound ? [`mailto:${unsubscribeAddress(key, { id, domain: inbound })}`] : []),
    ]
      .map((way) => `<${way}>`)
      .join(', '),
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  const parts = {
    subject: message.subject,
    messageId: `<${composing.messageId ?? `${id}@${host}`}>`,
    date: new Date(),
    text: text ?? (html && (await textParser.html(html, composing.sender))),
    html:
      html && trackOpens
        ? withPicture(html, `${publicUrl}/o/${trackingPixelToken(key, id)}`)
        : html,
    headers: { ...headers, ...unsubscribe },
    from: { name: message.senderName, address: from.address },
    to: { name: message.recipientName, address: to.address },
    replyTo: message.replyTo,
  }
  if (!attachments.length) return composeWithoutAttachments({ ...parts, boundary: `=_${id}` })
  const invitation = attachments.find(({ type }) => calendarMethodOf(type))
  const others = attachments.filter((one) => one !== invitation)
  const composer = new MailComposer({
    ...parts,
    // Adds the invitation twice: some mail programs show the alternative part as an invitation, and others show only
    // the attachment.
    icalEvent: invitation && {
      method: calendarMethodOf(invitation.type),
      content: invitation.content,
      filename: invitation.filename,
    },
    attachments: others.map(({ filename, content, type, cid }) => ({
      filename,
      content,
      cid,
      contentType: type,
    })),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/**
 * Returns the method of an invitation (RFC 5546), for example `REQUEST`. Returns undefined if its charset is neither
 * UTF-8 nor ASCII, because nodemailer always adds the label `charset=utf-8`.
 */
function calendarMethodOf(type: string | undefined): string | undefined {
  const charset = /;[ \t]*charset="?([^";\s]+)/i.exec(type ?? '')?.[1] ?? 'utf-8'
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset)) return undefined
  return /^text\/calendar\b.*;[ \t]*method="?([a-z]{1,20})\b/i.exec(type ?? '')?.[1]
}

/** Adds the tracking pixel at the end of the HTML, where it cannot change the layout. */
function withPicture(html: string, url: string): string {
  const picture = `<img src="${url}" width="1" height="1" alt="" style="display:block">`
  const end = html.toLowerCase().lastIndexOf('</body>')
  return end < 0 ? html + picture : html.slice(0, end) + picture + html.slice(end)
}
