import { type MailMessage, type RenderedMail, createMailRenderer } from '#core/mail/render_mail'
import { publish } from '#core/live/live_events'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Published when a mail is due. */
export const MAILS_DUE_TOPIC = 'mails:due'

/** A mail that is written already. */
export interface PreparedMail {
  to: string
  subject: string
  text: string
  html?: string
  /** Without angle brackets; answers name it. */
  messageId?: string
  /** Where answers go; otherwise where staff have said. */
  replyTo?: string | null
  /** For a mail with a secret in it: until when it is of use, and the subject that stays. */
  secret?: { until: Date; subject: string }
}

/**
 * Berth's own mail (codes, invitations, bills). Kept in the outbox; the worker hands it to the mail service,
 * or to SMTP_URL, and without either it stays there for `./berth outbox`. What is secret in it goes once it
 * is handed over or of no more use.
 */
export function sendMail(
  mail: PreparedMail | MailMessage,
  trx?: TransactionClientContract
): Promise<void> {
  return sendMails([mail], trx)
}

/** The same for many, by as many statements as for one; at most a thousand or so at once. */
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

/** A mail as the outbox has it. */
function outboxRow(
  mail: PreparedMail | MailMessage,
  { subject, text, html, replyTo }: RenderedMail | PreparedMail
) {
  const messageId = 'messageId' in mail ? mail.messageId : undefined
  for (const field of [mail.to, subject, messageId ?? '', replyTo ?? '']) {
    if (/[\r\n]/.test(field)) throw new Error('A line break in a mail header')
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
