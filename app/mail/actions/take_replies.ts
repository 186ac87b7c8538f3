import { Refusal } from '#core/refusal'
import { askIfThere, askMail } from '#mail/service'
import { receiveReply } from '#support/public'
import logger from '@adonisjs/core/services/logger'

/** Where answers to the product's mails go; null where no mail is taken in. */
export async function replyAddress(): Promise<string | null> {
  return (await askIfThere('ways', {}))?.replies ?? null
}

/**
 * Takes the answers that came by mail to whom they are for. Cut off anywhere it takes them again, which says nothing
 * twice; what answers no mail of ours is thrown away.
 */
export async function takeReplies(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const replies = (await askIfThere('replies', {})) ?? []
    if (replies.length === 0) return
    for (const { messageId, sender: from, refs: references, body: text } of replies) {
      await receiveReply({ from, messageId, references, text }).catch((error: unknown) => {
        // Refused once it would be refused again, and hold up all others.
        if (!(error instanceof Refusal)) throw error
        logger.warn({ err: error }, 'an answer by mail was refused')
      })
    }
    await askMail('forgetReplies', { ids: replies.map(({ id }) => id) })
  }
}
