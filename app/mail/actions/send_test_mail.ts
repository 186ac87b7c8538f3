import { AppError } from '#core/app_error'
import { auditSender, type Requester } from '#mail/actions/change_sender'
import { mailServiceUnavailable } from '#mail/errors'
import type Sender from '#mail/models/sender'
import env from '#start/env'
import type { Actor } from '#core/contracts/actor'

const SEND_TIMEOUT_MS = 10_000

/**
 * Sends a test email with the same HTTP request as customers' programs, but to the internal URL of
 * the mail service.
 * @throws AppError with the mail service's message; 503 if the service does not respond
 */
export async function sendTestMail(
  sender: Sender,
  by: Requester & { actor: Actor }
): Promise<void> {
  const { actor } = by
  const mail = {
    sender_email: sender.email,
    sender_name: sender.email,
    recipient_email: actor.email,
    recipient_name: actor.name,
    subject: `Test email from ${sender.email}`,
    mail_body: `<p>This test email was sent from <b>${sender.email}</b>.</p><p>Its headers show how it was signed.</p>`,
  }
  const answered = await post(sender, mail)
  if (!answered.ok) {
    const { message } = (await answered.json().catch(() => ({}))) as { message?: string }
    throw new AppError(
      'not_sent',
      answered.status === 429 ? 429 : 409,
      message ?? 'The mail service rejected the test email.'
    )
  }
  await auditSender(sender, 'sender.test', by)
}

async function post(sender: Sender, mail: object): Promise<Response> {
  const url = env.get('MAIL_CONTROL_URL')
  if (!url) throw mailServiceUnavailable()
  try {
    return await fetch(new URL('/send-mail', url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-access-key-id': String(sender.accountId),
        'x-secret-key': sender.secretKey!,
      },
      body: JSON.stringify(mail),
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    })
  } catch (error) {
    throw mailServiceUnavailable(error)
  }
}
