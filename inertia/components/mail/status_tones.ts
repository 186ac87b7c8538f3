import type { StatusTone } from '@ui/status_badge'
import type { MailDomainPage, MessageState } from './types'

export const messageTones: Record<MessageState, StatusTone> = {
  scheduled: 'calm',
  queued: 'wait',
  sending: 'wait',
  delivered: 'good',
  bounced: 'loss',
  expired: 'loss',
  suppressed: 'loss',
  cancelled: 'calm',
}

type DnsRecordState = MailDomainPage['records'][number]['state']

export const dnsRecordTones: Record<DnsRecordState, StatusTone> = {
  found: 'good',
  wrong: 'loss',
  missing: 'wait',
  unknown: 'wait',
  new: 'calm',
}

export const dnsRecordStateLabels: Record<DnsRecordState, string> = {
  found: 'Found',
  wrong: 'Wrong',
  missing: 'Missing',
  unknown: 'DNS lookup failed',
  new: 'Not checked',
}

export const dnsRecordPurposeLabels = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC (recommended)',
  return_path: 'Return path',
}
