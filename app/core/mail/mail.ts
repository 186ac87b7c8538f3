import { enqueue } from '#core/queue'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export const MAIL_QUEUE = 'system-mail'

export interface Mail {
  to: string
  subject: string
  text: string
  html?: string
  /** Without angle brackets; answers name it. */
  messageId?: string
  /** Where answers go. */
  replyTo?: string
  /** For a mail with a secret in it: until when it is of use, and the subject that stays. */
  secret?: { until: Date; subject: string }
}

/**
 * Berth's own mail (codes, invitations, bills). Kept in the outbox; with SMTP_URL the worker hands
 * it to that server, without one it stays there for `./berth outbox`. What is secret in it goes
 * once it is sent or of no more use.
 */
export async function sendMail(mail: Mail, trx?: TransactionClientContract): Promise<void> {
  for (const field of [mail.to, mail.subject, mail.messageId ?? '', mail.replyTo ?? '']) {
    if (/[\r\n]/.test(field)) throw new Error('A line break in a mail header')
  }
  const [id] = await (trx ?? db)
    .insertQuery()
    .table('outbox_mails')
    .insert({
      to: mail.to,
      from: env.get('MAIL_FROM', 'Berth <berth@localhost>'),
      subject: mail.subject,
      text: mail.text,
      html: mail.html ?? null,
      message_id: mail.messageId ?? null,
      reply_to: mail.replyTo ?? null,
      secret_until: mail.secret?.until ?? null,
      plain_subject: mail.secret?.subject ?? null,
    })
    .returning('id')
  if (env.get('SMTP_URL')) {
    await enqueue(MAIL_QUEUE, { id: id.id ?? id }, { trx, retryLimit: 12, retryBackoff: true })
  }
}
