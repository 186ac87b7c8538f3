import { type Letter, write } from '#core/mail/letter'
import { enqueue } from '#core/queue'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export const MAIL_QUEUE = 'system-mail'

/** A mail that is written already. */
export interface Mail {
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

/** Whether there is a way out at all: the mail service, or a server of our own. */
export const canLeave = () => Boolean(env.get('MAIL_CONTROL_URL') || env.get('SMTP_URL'))

/**
 * Berth's own mail (codes, invitations, bills). Kept in the outbox; the worker hands it to the mail service,
 * or to SMTP_URL, and without either it stays there for `./berth outbox`. What is secret in it goes once it
 * is handed over or of no more use.
 */
export async function sendMail(
  mail: Mail | Letter,
  trx?: TransactionClientContract
): Promise<void> {
  const written = 'kind' in mail ? await write(mail, trx) : mail
  const messageId = 'messageId' in mail ? mail.messageId : undefined
  for (const field of [mail.to, written.subject, messageId ?? '', written.replyTo ?? '']) {
    if (/[\r\n]/.test(field)) throw new Error('A line break in a mail header')
  }
  const [id] = await (trx ?? db)
    .insertQuery()
    .table('outbox_mails')
    .insert({
      to: mail.to,
      from: env.get('MAIL_FROM', 'Berth <berth@localhost>'),
      subject: written.subject,
      text: written.text,
      html: written.html ?? null,
      message_id: messageId ?? null,
      reply_to: written.replyTo ?? null,
      secret_until: mail.secret?.until ?? null,
      plain_subject: mail.secret?.subject ?? null,
    })
    .returning('id')
  if (canLeave()) {
    await enqueue(MAIL_QUEUE, { id: id.id ?? id }, { trx, retryLimit: 12, retryBackoff: true })
  }
}
