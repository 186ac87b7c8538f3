import type { Tone } from '@ui/status_badge'
import type { MailDomainPage, MessageState } from './types'

/** How a message stands, as a colour. */
export const messageTones: Record<MessageState, Tone> = {
  scheduled: 'calm',
  queued: 'wait',
  sending: 'wait',
  delivered: 'good',
  bounced: 'loss',
  expired: 'loss',
  suppressed: 'loss',
  cancelled: 'calm',
}

type RecordState = MailDomainPage['records'][number]['state']

export const recordTones: Record<RecordState, Tone> = {
  found: 'good',
  wrong: 'loss',
  missing: 'wait',
  unknown: 'wait',
  new: 'calm',
}

export const recordStateLabels: Record<RecordState, string> = {
  found: 'Found',
  wrong: 'Wrong',
  missing: 'Missing',
  unknown: 'No answer',
  new: 'Not checked',
}

export const recordPurposeLabels = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC (recommended)',
  return_path: 'Return path',
}
