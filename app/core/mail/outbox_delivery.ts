import { REDACTED_BODY_TEXT, redactMailSecrets } from '#core/mail/redact_secrets'
import env from '#start/env'
import { ControlClient, ControlUnreachableError } from '#packages/service/control_client'
import type { ControlApi } from '#packages/mail-service/control/contract'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { setTimeout as sleep } from 'node:timers/promises'

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
  /** Deliveries that were begun, with this one. */
  attempts: number
}

/** Milliseconds that the mail service may take. */
const MAIL_SERVICE_TIMEOUT_MS = 10_000
/** Milliseconds that a mail server may take to be reached, and may be silent later. */
const SMTP_TIMEOUTS_MS = { connectionTimeout: 30_000, socketTimeout: 180_000 }
/** Seconds until a mail is due again when the worker dies during its delivery: longer than a delivery takes. */
const LEASE_SECONDS = 300
/** The pause doubles with each of these and begins with a second: together one to two hours. */
const MAX_RETRIES = 12
const MAX_CONCURRENT_MAILS = 20
/** Milliseconds until new mails are looked for while others are being delivered. */
const POLL_INTERVAL_MS = 1_000

/** Delivers mails of the outbox until none is due. What fails is due again after a growing pause. */
export async function deliverDueMails(signal: AbortSignal): Promise<void> {
  const deliveries = new Set<Promise<void>>()
  for (;;) {
    const free = signal.aborted ? 0 : MAX_CONCURRENT_MAILS - deliveries.size
    for (const mail of free > 0 ? await claimDueMails(free) : []) {
      const delivery = attemptDelivery(mail).finally(() => deliveries.delete(delivery))
      deliveries.add(delivery)
    }
    if (deliveries.size === 0) return
    await Promise.race([...deliveries, sleep(POLL_INTERVAL_MS)])
  }
}

/** Codes and links come first: people wait for them, however many bills are due. */
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

/** Never rejects. A mail that has no way out stays in the outbox, and nobody waits for it. */
async function attemptDelivery(mail: OutboxMail): Promise<void> {
  const { id, attempts } = mail
  try {
    // A code that expired while the server was away is not sent any more.
    const isSent =
      mail.text !== REDACTED_BODY_TEXT &&
      ((await sendByMailService(mail)) || (await sendBySmtp(mail)))
    await db
      .from('outbox_mails')
      .where({ id })
      .update({ due_at: null, ...(isSent && { sent_at: new Date() }) })
    if (isSent) await redactMailSecrets(Number(id))
  } catch (error) {
    const isLast = attempts > MAX_RETRIES
    logger.warn({ err: error, mail: id, attempts }, isLast ? 'mail was given up' : 'mail must wait')
    await db
      .from('outbox_mails')
      .where({ id, attempts })
      .whereNull('sent_at')
      .update({
        due_at: isLast
          ? null
          : db.raw('now() + make_interval(secs => ? * (1 + random()))', [2 ** (attempts - 1)]),
      })
      // Then it is due when the lease ends.
      .catch((err: unknown) => logger.warn({ err, mail: id }, 'mail could not be postponed'))
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
  await createTransport({ url, ...SMTP_TIMEOUTS_MS }).sendMail({
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
