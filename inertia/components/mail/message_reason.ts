import type { MessageEntry } from './types'

/**
 * Returns the reason of the message's state with its enhanced status code, usually the receiving server's response.
 * Without a reason, returns what an unfinished message waits for, or '' for a finished one.
 */
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
