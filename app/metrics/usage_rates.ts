/** Usage counters of an instance at one moment. They are 0 when the instance starts. */
export interface UsageCounters {
  /** Time of the reading, in milliseconds since 1970. */
  at: number
  /** CPU time in seconds. */
  cpu: number
  /** Bytes, as in the next three fields. */
  diskRead: number
  diskWritten: number
  networkIn: number
  networkOut: number
}

/**
 * Average rates between two readings. `cpu` is the number of CPUs in use, the others are bytes per
 * second.
 */
export interface UsageRates {
  cpu: number
  diskRead: number
  diskWritten: number
  networkIn: number
  networkOut: number
}

/**
 * Maximum seconds between two readings. The average of a longer time would not represent a single
 * minute.
 */
export const MAX_READING_INTERVAL_SECONDS = 150

const names = ['cpu', 'diskRead', 'diskWritten', 'networkIn', 'networkOut'] as const

/**
 * Returns null if there is no earlier reading, the clock went back, or the interval is too long. If
 * a counter is smaller than before, the instance was restarted and its counters began again at 0.
 */
export function computeUsageRates(
  before: UsageCounters | null | undefined,
  now: UsageCounters
): UsageRates | null {
  if (!before) return null
  const seconds = (now.at - before.at) / 1_000
  if (seconds <= 0 || seconds > MAX_READING_INTERVAL_SECONDS) return null
  const rates = names.map((name) => {
    const used = now[name] >= before[name] ? now[name] - before[name] : now[name]
    return [name, used / seconds] as const
  })
  return Object.fromEntries(rates) as unknown as UsageRates
}

/** Returns null if there are rates, but none is known. */
export function sumRates(all: (UsageRates | null)[]): UsageRates | null {
  const known = all.filter((rates) => rates !== null)
  if (known.length === 0 && all.length > 0) return null
  const total: UsageRates = { cpu: 0, diskRead: 0, diskWritten: 0, networkIn: 0, networkOut: 0 }
  for (const rates of known) for (const name of names) total[name] += rates[name]
  return total
}
