/** Response of `GET …/metrics?range=`: values at regular intervals, null if unknown. */
export interface MetricsHistory {
  range: TimeRange
  /** `from` is in seconds since 1970. `point` is the number of seconds between two points. */
  from: number
  point: number
  count: number
  series: Record<string, (number | null)[]>
}

export const timeRanges = [
  { key: '1h', label: '1 h', words: 'the last hour' },
  { key: '24h', label: '24 h', words: 'the last 24 hours' },
  { key: '7d', label: '7 d', words: 'the last 7 days' },
  { key: '90d', label: '90 d', words: 'the last 90 days' },
] as const

export type TimeRange = (typeof timeRanges)[number]['key']

export function timeRangeFromUrl(url: string): TimeRange {
  const named = new URL(url, 'http://page').searchParams.get('range')
  return timeRanges.find(({ key }) => key === named)?.key ?? '1h'
}

/** The last hour is the default and needs no parameter. */
export function timeRangeUrl(url: string, range: TimeRange) {
  const address = new URL(url, 'http://page')
  if (range === '1h') address.searchParams.delete('range')
  else address.searchParams.set('range', range)
  return address.pathname + address.search
}

/** With fewer points, a line shows nothing useful. */
const MIN_POINTS = 10

/**
 * Removes points at the start at which all values are unknown, but keeps at least `MIN_POINTS` points. Otherwise the
 * values of a new server would be a short line at the edge of an empty chart.
 */
export function trimUnknownStart(history: MetricsHistory): MetricsHistory {
  const all = Object.values(history.series)
  const first = Array.from({ length: history.count }, (_, at) => at).find((at) =>
    all.some((values) => values[at] !== null)
  )
  const start = Math.max(0, Math.min(first ?? 0, history.count - MIN_POINTS))
  if (start === 0) return history
  return {
    ...history,
    from: history.from + start * history.point,
    count: history.count - start,
    series: Object.fromEntries(
      Object.entries(history.series).map(([name, values]) => [name, values.slice(start)])
    ),
  }
}

export function hasMeasurements(history: MetricsHistory) {
  return Object.values(history.series).some((values) => values.some((value) => value !== null))
}

/** Returns null if the last `within` points are all unknown. */
export function latestValue(values: (number | null)[], within = 3) {
  return values.slice(-within).findLast((value) => value !== null) ?? null
}

export function highestValue(values: (number | null)[]) {
  const known = values.filter((value) => value !== null)
  return known.length ? Math.max(...known) : null
}
