import type { StatusTone } from '@ui/status_badge'

const tones: Record<string, StatusTone> = {
  stuck: 'loss',
  failed: 'loss',
  queued: 'wait',
  running: 'wait',
  done: 'good',
  firing: 'loss',
  pending: 'wait',
  resolved: 'good',
  ready: 'good',
  busy: 'wait',
  away: 'loss',
}

export const systemStatusTone = (status: string): StatusTone => tones[status] ?? 'calm'

export const severityTone = (severity: 'warning' | 'critical'): StatusTone =>
  severity === 'critical' ? 'loss' : 'wait'

/** The system page's lists change all the time. */
export const MIN_RELOAD_INTERVAL_MS = 3_000
