import { AppError } from '#core/app_error'
import { callMailServiceIfAvailable, callMailService } from '#mail/call_mail_service'
import type { ReplyMailEntry } from '#packages/mail-service/control/contract'
import logger from '@adonisjs/core/services/logger'

export type { ReplyMailEntry }

/** Null if the mail service cannot receive emails. */
export async function loadReplyAddress(): Promise<string | null> {
  return (await callMailServiceIfAvailable('ways', {}))?.replies ?? null
}

/**
 * Passes email replies to `take`, then deletes them at the mail service. After an interruption,
 * `take` gets some replies again, so it must be idempotent.
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
        // A reply that `take` rejects with an AppError is deleted too, because it would be rejected again
        // and block all later replies. After another error, the replies stay for the next run.
        if (!(error instanceof AppError)) throw error
        logger.warn({ err: error }, 'a reply by email was rejected')
      })
    }
    await callMailService('forgetReplies', { ids: replies.map(({ id }) => id) })
  }
}
