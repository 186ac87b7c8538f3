/** Counters of one instance at one moment; they count since its last start. */
export interface Counters {
  /** Milliseconds since the epoch. */
  at: number
  /** Seconds of processor time. */
  cpu: number
  /** Bytes. */
  diskRead: number
  diskWritten: number
  networkIn: number
  networkOut: number
}

/** Per second between two readings: processors for `cpu`, bytes for the others. */
export interface Rates {
  cpu: number
  diskRead: number
  diskWritten: number
  networkIn: number
  networkOut: number
}

/** Readings further apart than this say nothing about one minute. */
export const MAX_READING_INTERVAL_SECONDS = 150

const names = ['cpu', 'diskRead', 'diskWritten', 'networkIn', 'networkOut'] as const

/**
 * What was used between two readings, or null when that cannot be told: there is no earlier
 * reading, the clock went back, or nobody looked for too long. A counter that became smaller began
 * anew at zero in between (the instance was started again), so all it shows now is new.
 */
export function ratesBetween(before: Counters | null | undefined, now: Counters): Rates | null {
  if (!before) return null
  const seconds = (now.at - before.at) / 1_000
  if (seconds <= 0 || seconds > MAX_READING_INTERVAL_SECONDS) return null
  const rates = names.map((name) => {
    const used = now[name] >= before[name] ? now[name] - before[name] : now[name]
    return [name, used / seconds] as const
  })
  return Object.fromEntries(rates) as unknown as Rates
}

/** The sum of what several instances use; null when nothing is known of any. */
export function sumRates(all: (Rates | null)[]): Rates | null {
  const known = all.filter((rates) => rates !== null)
  if (known.length === 0 && all.length > 0) return null
  const total: Rates = { cpu: 0, diskRead: 0, diskWritten: 0, networkIn: 0, networkOut: 0 }
  for (const rates of known) for (const name of names) total[name] += rates[name]
  return total
}
