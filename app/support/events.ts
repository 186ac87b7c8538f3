import { publish } from '#core/live/live_events'
import type { ConversationSide } from '#support/statuses'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export const conversationTopic = (clientId: number) => `support:${clientId}`

export function publishConversationChange(
  clientId: number,
  trx?: TransactionClientContract
): Promise<void> {
  return publish(conversationTopic(clientId), { person: clientId, trx })
}

/**
 * Publishes to the customer and to all staff that a person is typing. Pages stop showing it after
 * some seconds.
 */
export function publishTyping(
  clientId: number,
  side: ConversationSide,
  personId: number
): Promise<void> {
  const topic = `support_typing:${clientId}:${side}:${personId}`
  return publish(topic, { person: clientId, passing: true })
}

/** Publishes to other staff that a staff member has the conversation open. */
export function publishViewing(clientId: number, personId: number): Promise<void> {
  return publish(`support_looking:${clientId}:${personId}`, { passing: true })
}
