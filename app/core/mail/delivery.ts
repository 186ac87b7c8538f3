import { FORGOTTEN, forgetSecrets } from '#core/mail/forget'
import { MAIL_QUEUE } from '#core/mail/mail'
import { ensureQueue } from '#core/queue'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'

/** Hands the outbox to the configured SMTP server; a refusal is tried again by the queue. */
export async function startMailDelivery(): Promise<void> {
  const url = env.get('SMTP_URL')?.release()
  if (!url) return
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(url)
  const boss = await ensureQueue(MAIL_QUEUE)
  await boss.work<{ id: number }>(MAIL_QUEUE, { localConcurrency: 4 }, async ([{ data }]) => {
    const mail = await db.from('outbox_mails').where('id', data.id).whereNull('sent_at').first()
    // A code that died while the server was away is not sent any more.
    if (!mail || mail.text === FORGOTTEN) return
    await transport.sendMail({
      from: mail.from,
      to: mail.to,
      subject: mail.subject,
      text: mail.text,
      html: mail.html ?? undefined,
      messageId: mail.message_id ? `<${mail.message_id}>` : undefined,
      replyTo: mail.reply_to ?? undefined,
    })
    await db.from('outbox_mails').where('id', data.id).update({ sent_at: new Date() })
    await forgetSecrets(data.id)
  })
}
