import type { Tone } from '@ui/status_badge'

const tones: Record<string, Tone> = {
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

/** The tone of work, schedules, alerts and processes. */
export const toneOf = (status: string): Tone => tones[status] ?? 'calm'

export const toneOfSeverity = (severity: 'warning' | 'critical'): Tone =>
  severity === 'critical' ? 'loss' : 'wait'

/** Something is always going on here: so long it is left alone, in milliseconds. */
export const MIN_RELOAD_INTERVAL_MS = 3_000
