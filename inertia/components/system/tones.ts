import type { Tone } from '@ui/status_badge'

const tones: Record<string, Tone> = {
  stuck: 'loss',
  failed: 'loss',
  queued: 'wait',
  running: 'wait',
  done: 'good',
}

/** The tone of work and of schedules. */
export const toneOf = (status: string): Tone => tones[status] ?? 'calm'

/** Something is always going on here: so long it is left alone, in milliseconds. */
export const REST_MS = 3_000
