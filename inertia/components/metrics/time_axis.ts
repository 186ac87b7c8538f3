import { formatDate } from '@ui/date_text'
import type { MetricsHistory, TimeRange } from './metrics_history'

export interface AxisTick {
  index: number
  label: string
}

/**
 * Intervals between ticks on the time axis. Hour ticks are at local times such as 06:00. Day ticks are at local
 * midnight, counted from the first midnight of the range.
 */
const tickIntervals: Record<TimeRange, { unit: 'minute' | 'hour' | 'day'; every: number }> = {
  '1h': { unit: 'minute', every: 15 },
  '24h': { unit: 'hour', every: 6 },
  '7d': { unit: 'day', every: 1 },
  '90d': { unit: 'day', every: 15 },
}

/** Returns the time at which a point begins. */
export function pointTimeMs(
  { from, point }: Pick<MetricsHistory, 'from' | 'point'>,
  index: number
) {
  return (from + index * point) * 1000
}

function localDay(ms: number, zone: string) {
  return formatDate(ms, 'date', zone)
}

function localHour(ms: number, zone: string) {
  const [, hour, , half] = /^(\d+):(\d+) (AM|PM)$/u.exec(formatDate(ms, 'clock', zone)) ?? []
  return (Number(hour) % 12) + (half === 'PM' ? 12 : 0)
}

export function timeTicks(history: MetricsHistory, zone: string): AxisTick[] {
  const { unit, every } = tickIntervals[history.range]
  const ticks: AxisTick[] = []
  let before: string | null = null
  let days = 0
  for (let index = 0; index < history.count; index += 1) {
    const ms = pointTimeMs(history, index)
    const now =
      unit === 'minute'
        ? String(Math.floor(ms / 60_000 / every))
        : unit === 'hour'
          ? String(Math.floor(localHour(ms, zone) / every))
          : localDay(ms, zone)
    if (before !== null && now !== before) {
      const label =
        unit === 'day' ? localDay(ms, zone).replace(/, \d+$/u, '') : formatDate(ms, 'clock', zone)
      if (unit !== 'day' || days % every === 0) ticks.push({ index, label })
      days += 1
    }
    before = now
  }
  return ticks
}
