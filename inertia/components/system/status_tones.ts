import type { StatusTone } from '@ui/status_badge'

export const severityTone = (severity: 'warning' | 'critical'): StatusTone =>
  severity === 'critical' ? 'loss' : 'wait'

/** Minimum time between reloads, because the system page's lists change all the time. */
export const MIN_RELOAD_INTERVAL_MS = 3_000
