import { REDACTED_BODY_TEXT, redactMailSecrets } from '#core/mail/redact_secrets'
import env from '#start/env'
import { ControlClient, ControlUnreachableError } from '#packages/service/control_client'
import type { ControlApi } from '#packages/mail-service/control/contract'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { setTimeout as sleep } from 'node:timers/promises'

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
  attempts: number
}

const MAIL_SERVICE_TIMEOUT_MS = 10_000
const SMTP_TIMEOUTS_MS = { connectionTimeout: 30_000, socketTimeout: 180_000 }
/** A server that sends a byte every minute would never reach `socketTimeout`. */
const SMTP_DELIVERY_TIMEOUT_MS = 240_000
/** If the worker dies during a delivery, the email becomes due again after this time. Longer than any delivery. */
const LEASE_SECONDS = 300
/** The delay starts at 1 to 2 s (random) and doubles with each retry. All retries take about one to two hours. */
const MAX_RETRIES = 12
const MAX_CONCURRENT_MAILS = 20
const POLL_INTERVAL_MS = 1_000

/** Delivers emails until none is due or `signal` is aborted. A failed email becomes due again later. */
export async function deliverDueMails(
  signal: AbortSignal,
  smtpTimeoutMs = SMTP_DELIVERY_TIMEOUT_MS
): Promise<void> {
  const deliveries = new Map<string, Promise<void>>()
  for (;;) {
    const free = signal.aborted ? 0 : MAX_CONCURRENT_MAILS - deliveries.size
    for (const mail of free > 0 ? await claimDueMails(free) : [])
      deliveries.set(
        mail.id,
        attemptDelivery(mail, smtpTimeoutMs).finally(() => deliveries.delete(mail.id))
      )
    if (deliveries.size === 0) return
    await Promise.race([...deliveries.values(), sleep(POLL_INTERVAL_MS)])
  }
}

/** Emails with a code or link come first, because people wait for them. */
async function claimDueMails(limit: number): Promise<OutboxMail[]> {
  const { rows } = await db.rawQuery<{ rows: OutboxMail[] }>(
    `update outbox_mails set attempts = attempts + 1, due_at = now() + make_interval(secs => ?)
     where id in (select id from outbox_mails where due_at <= now()
       order by secret_until is null, due_at limit ? for update skip locked)
     returning *`,
    [LEASE_SECONDS, limit]
  )
  return rows
}

/** Never rejects. Without a mail service or SMTP server, the email stays in the outbox and is not retried. */
async function attemptDelivery(mail: OutboxMail, smtpTimeoutMs: number): Promise<void> {
  const { id, attempts } = mail
  try {
    // The code of a redacted email expired while no server could send it.
    const isSent =
      mail.text !== REDACTED_BODY_TEXT &&
      ((await sendByMailService(mail)) || (await sendBySmtp(mail, smtpTimeoutMs)))
    await db
      .from('outbox_mails')
      .where({ id })
      .update({ due_at: null, ...(isSent && { sent_at: new Date() }) })
    if (isSent) {
      await redactMailSecrets(Number(id)).catch((err: unknown) =>
        logger.warn({ err, mail: id }, 'the code or link in a sent mail could not be redacted yet')
      )
    }
  } catch (error) {
    const isLast = attempts > MAX_RETRIES
    logger.warn(
      { err: error, mail: id, attempts },
      isLast ? 'mail could not be sent, no more retries' : 'mail could not be sent, retrying later'
    )
    await db
      .from('outbox_mails')
      .where({ id, attempts })
      .whereNull('sent_at')
      .update({
        due_at: isLast
          ? null
          : db.raw('now() + make_interval(secs => ? * (1 + random()))', [2 ** (attempts - 1)]),
      })
      // If this update fails, the email becomes due again when its lease ends.
      .catch((err: unknown) =>
        logger.warn({ err, mail: id }, 'the next attempt of a mail could not be scheduled')
      )
  }
}

/**
 * Returns false if the service is not configured or has no outgoing route, or if it is unreachable and SMTP_URL is
 * set.
 * @throws if only a retry can help, or if the service may already have accepted the email
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
  // The service sends an email only once per key, so a retry is safe.
  await client.call('sendOwn', { messages: [{ key: `outbox-${id}`, ...own }] })
  return true
}

async function sendBySmtp(mail: OutboxMail, timeoutMs: number): Promise<boolean> {
  const url = env.get('SMTP_URL')?.release()
  if (!url) return false
  const { createTransport } = await import('nodemailer')
  await createTransport({ url, ...SMTP_TIMEOUTS_MS }).sendMail({
    from: mail.from,
    to: mail.to,
    ...(mail.message_id && { messageId: `<${mail.message_id}>` }),
    ...(mail.reply_to && { replyTo: mail.reply_to }),
    subject: mail.subject,
    text: mail.text,
    html: mail.html ?? undefined,
    signal: AbortSignal.timeout(timeoutMs),
  })
  return true
}
