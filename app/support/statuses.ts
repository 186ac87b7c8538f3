/**
 * `waiting`: the customer waits for an answer of staff. `open`: nobody waits for an
 * answer. `closed`: finished, until somebody writes again. Staff can also set the status by hand.
 */
export const conversationStatuses = {
  waiting: 'Waiting',
  open: 'Open',
  closed: 'Closed',
} as const

export type ConversationStatus = keyof typeof conversationStatuses

export type ConversationSide = 'client' | 'staff'
