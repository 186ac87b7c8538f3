import { type MailMessage, type RenderedMail, createMailRenderer } from '#core/mail/render_mail'
import { publish } from '#core/live/live_events'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export const MAILS_DUE_TOPIC = 'mails:due'

export interface PreparedMail {
  to: string
  subject: string
  text: string
  html?: string
  /** Message-ID that replies refer to. Without angle brackets. */
  messageId?: string
  /** Default: the address from the mail settings. */
  replyTo?: string | null
  /** Expiry of the email's secret, and the subject after the secret is removed. */
  secret?: { until: Date; subject: string }
}

/**
 * Queues an email of Berth itself, such as a code or a bill. The worker sends it through the mail service or
 * SMTP_URL. Without either, it stays in the outbox, which `./berth outbox` prints. Its secret is removed once it is
 * sent or has expired.
 */
export function sendMail(
  mail: PreparedMail | MailMessage,
  trx?: TransactionClientContract
): Promise<void> {
  return sendMails([mail], trx)
}

/** Queues up to about a thousand emails. The number of queries grows only with the number of kinds. */
export async function sendMails(
  mails: (PreparedMail | MailMessage)[],
  trx?: TransactionClientContract
): Promise<void> {
  if (mails.length === 0) return
  const write = await createMailRenderer(mails, trx)
  await (trx ?? db)
    .insertQuery()
    .table('outbox_mails')
    .multiInsert(mails.map((mail) => outboxRow(mail, 'kind' in mail ? write(mail) : mail)))
  await publish(MAILS_DUE_TOPIC, { passing: true, trx })
}

function outboxRow(
  mail: PreparedMail | MailMessage,
  { subject, text, html, replyTo }: RenderedMail | PreparedMail
) {
  const messageId = 'messageId' in mail ? mail.messageId : undefined
  for (const field of [mail.to, subject, messageId ?? '', replyTo ?? '']) {
    if (/[\r\n]/.test(field)) throw new Error('A mail header contains a line break')
  }
  return {
    to: mail.to,
    from: env.get('MAIL_FROM', 'Berth <berth@localhost>'),
    subject,
    text,
    html: html ?? null,
    message_id: messageId ?? null,
    reply_to: replyTo ?? null,
    secret_until: mail.secret?.until ?? null,
    plain_subject: mail.secret?.subject ?? null,
    due_at: db.raw('now()'),
  }
}
