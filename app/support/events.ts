import { publish } from '#core/live/live_events'
import type { ConversationSide } from '#support/statuses'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** What pages listen for: something of a customer's conversation changed. */
export const conversationTopic = (clientId: number) => `support:${clientId}`

/** Tells the customer and staff that something of the conversation changed. */
export function publishConversationChange(
  clientId: number,
  trx?: TransactionClientContract
): Promise<void> {
  return publish(conversationTopic(clientId), { person: clientId, trx })
}

/** Tells that somebody types; the dots end by themselves, so nobody is told of the end. */
export function publishTyping(
  clientId: number,
  side: ConversationSide,
  personId: number
): Promise<void> {
  const topic = `support_typing:${clientId}:${side}:${personId}`
  return publish(topic, { person: clientId, passing: true })
}

/** Tells staff alone that one of them looks at the conversation. */
export function publishViewing(clientId: number, personId: number): Promise<void> {
  return publish(`support_looking:${clientId}:${personId}`, { passing: true })
}
