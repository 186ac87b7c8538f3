/**
 * `waiting`: the customer waits for an answer of staff. `open`: staff have answered. `closed`:
 * finished, until the customer writes again.
 */
export const conversationStatuses = {
  waiting: 'Waiting',
  open: 'Open',
  closed: 'Closed',
} as const

export type ConversationStatus = keyof typeof conversationStatuses

export type ConversationSide = 'client' | 'staff'
