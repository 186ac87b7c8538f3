/**
 * `waiting`: staff must answer. `open`: answered. `closed`: done until the customer writes again.
 */
export const conversationStatuses = {
  waiting: 'Waiting',
  open: 'Open',
  closed: 'Closed',
} as const

export type ConversationStatus = keyof typeof conversationStatuses

export type ConversationSide = 'client' | 'staff'
