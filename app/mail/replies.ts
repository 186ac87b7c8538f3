import { Refusal } from '#core/refusal'
import { askIfThere, askMail } from '#mail/service'
import type { ReplyEntry } from '#packages/mail-service/control/contract'
import logger from '@adonisjs/core/services/logger'

export type { ReplyEntry }

/** Where answers to the product's mails go; null where no mail is taken in. */
export async function replyAddress(): Promise<string | null> {
  return (await askIfThere('ways', {}))?.replies ?? null
}

/**
 * Hands the answers that came by mail to whoever takes them, and forgets them then. Cut off anywhere it hands them over
 * again: taking one twice must be as taking it once.
 */
export async function takeReplies(
  take: (reply: ReplyEntry) => Promise<unknown>,
  signal: AbortSignal
): Promise<void> {
  while (!signal.aborted) {
    const replies = (await askIfThere('replies', {})) ?? []
    if (replies.length === 0) return
    for (const reply of replies) {
      await take(reply).catch((error: unknown) => {
        // Refused once it would be refused again, and hold up all others.
        if (!(error instanceof Refusal)) throw error
        logger.warn({ err: error }, 'an answer by mail was refused')
      })
    }
    await askMail('forgetReplies', { ids: replies.map(({ id }) => id) })
  }
}
