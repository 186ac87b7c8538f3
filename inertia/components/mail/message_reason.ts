import type { MessageEntry } from './types'

/** Returns the last delivery answer with its code. Without an answer, returns what the message waits for. */
export function messageReason({
  state,
  reason,
  enhanced,
  nextAt,
}: Pick<MessageEntry, 'state' | 'reason' | 'enhanced' | 'nextAt'>): string {
  if (reason) return enhanced ? `${enhanced} ${reason}` : reason
  if (state === 'scheduled') return 'Scheduled by its sender for a later time.'
  if (state === 'sending') return 'Berth is sending it now.'
  if (state !== 'queued') return ''
  const isDue = !nextAt || new Date(nextAt) <= new Date()
  return isDue
    ? 'Waits for a free connection to the recipient’s mail server.'
    : 'Waits for its next attempt.'
}
