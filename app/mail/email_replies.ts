import { AppError } from '#core/app_error'
import { callMailServiceIfAvailable, callMailService } from '#mail/call_mail_service'
import type { ReplyMailEntry } from '#packages/mail-service/control/contract'
import logger from '@adonisjs/core/services/logger'

export type { ReplyMailEntry }

/** Where answers to the product's mails go; null where no mail is taken in. */
export async function loadReplyAddress(): Promise<string | null> {
  return (await callMailServiceIfAvailable('ways', {}))?.replies ?? null
}

/**
 * Hands the answers that came by mail to whoever takes them, and forgets them then. Cut off anywhere it hands them over
 * again: taking one twice must be as taking it once.
 */
export async function processEmailReplies(
  take: (reply: ReplyMailEntry) => Promise<unknown>,
  signal: AbortSignal
): Promise<void> {
  while (!signal.aborted) {
    const replies = (await callMailServiceIfAvailable('replies', {})) ?? []
    if (replies.length === 0) return
    for (const reply of replies) {
      await take(reply).catch((error: unknown) => {
        // Refused once it would be refused again, and hold up all others.
        if (!(error instanceof AppError)) throw error
        logger.warn({ err: error }, 'a reply by email was rejected')
      })
    }
    await callMailService('forgetReplies', { ids: replies.map(({ id }) => id) })
  }
}
