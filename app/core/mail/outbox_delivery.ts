import { REDACTED_BODY_TEXT, redactMailSecrets } from '#core/mail/redact_secrets'
import { hasMailTransport, MAIL_QUEUE } from '#core/mail/send_mail'
import { ensureQueue } from '#core/job_queue'
import env from '#start/env'
import { ControlClient, ControlUnreachableError } from '#packages/service/control_client'
import type { ControlApi } from '#packages/mail-service/control/contract'
import db from '@adonisjs/lucid/services/db'
import type { Job, JobResult } from 'pg-boss'

/** A mail as the outbox has it. */
interface OutboxMail {
  id: string
  from: string
  to: string
  subject: string
  text: string
  html: string | null
  message_id: string | null
  reply_to: string | null
  secret_until: Date | null
}

/** Milliseconds that the mail service may take. */
const MAIL_SERVICE_TIMEOUT_MS = 10_000

/** Hands the outbox over; what fails is tried again by the queue. */
export async function startMailDelivery(): Promise<void> {
  if (!hasMailTransport()) return
  const boss = await ensureQueue(MAIL_QUEUE)
  // One at a time would be one for each look at the queue: a run of bills leaves hundreds of mails.
  const options = { localConcurrency: 4, batchSize: 5, burstWhenBatchFull: true } as const
  await boss.work(
    MAIL_QUEUE,
    { ...options, perJobResults: true },
    (jobs: Job<{ id: number }>[]): Promise<JobResult[]> =>
      Promise.all(jobs.map(({ id, data }) => recordOutcome(id, deliverMail(data.id))))
  )
}

async function deliverMail(id: number): Promise<void> {
  const mail = await db.from('outbox_mails').where({ id }).whereNull('sent_at').first()
  // A code that died while the server was away is not sent any more.
  if (!mail || mail.text === REDACTED_BODY_TEXT) return
  if (!((await sendByMailService(mail)) || (await sendBySmtp(mail)))) return
  await db.from('outbox_mails').where({ id }).update({ sent_at: new Date() })
  await redactMailSecrets(id)
}

/** Each is tried again by itself, whatever became of the others fetched with it. */
async function recordOutcome(id: string, work: Promise<void>): Promise<JobResult> {
  try {
    await work
    return { id, status: 'completed' }
  } catch (error) {
    return { id, status: 'failed', output: { message: String(error) } }
  }
}

/**
 * Gives whether it was handed over: not where there is no service, or no way out of it, or it is away and
 * there is SMTP_URL. Throws where only waiting helps, and where nobody knows whether it was handed over.
 */
async function sendByMailService(mail: OutboxMail): Promise<boolean> {
  const [url, key] = [env.get('MAIL_CONTROL_URL'), env.get('MAIL_CONTROL_KEY')]
  if (!url || !key) return false
  const client = new ControlClient<ControlApi>({
    url,
    key: key.release(),
    timeout: MAIL_SERVICE_TIMEOUT_MS,
  })
  const ways = await client.call('ways', {}).catch((error: unknown) => {
    if (error instanceof ControlUnreachableError && env.get('SMTP_URL')) return null
    throw error
  })
  if (!ways || ways.out === 'none') return false
  const { id, from, to, subject, text, html, message_id: messageId, reply_to: replyTo } = mail
  const secret = mail.secret_until !== null
  const own = { from, to, subject, text, html, messageId, replyTo, secret }
  // Told twice, it is sent once.
  await client.call('sendOwn', { messages: [{ key: `outbox-${id}`, ...own }] })
  return true
}

/** The same by SMTP_URL; not where there is none. */
async function sendBySmtp(mail: OutboxMail): Promise<boolean> {
  const url = env.get('SMTP_URL')?.release()
  if (!url) return false
  const { createTransport } = await import('nodemailer')
  await createTransport(url).sendMail({
    from: mail.from,
    to: mail.to,
    ...(mail.message_id && { messageId: `<${mail.message_id}>` }),
    ...(mail.reply_to && { replyTo: mail.reply_to }),
    subject: mail.subject,
    text: mail.text,
    html: mail.html ?? undefined,
  })
  return true
}
