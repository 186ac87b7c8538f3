const MS_PER_MINUTE = 60_000

/** Delays after the first, second, third and fourth failed attempt. Later delays are also an hour. */
const RETRY_DELAYS_MINUTES = [1, 5, 15, 60]

/** Returns undefined if the next attempt would be after `expiresAt`. */
export function nextAttemptAt(attempts: number, now: Date, expiresAt: Date): Date | undefined {
  const minutes =
    RETRY_DELAYS_MINUTES[Math.min(attempts, RETRY_DELAYS_MINUTES.length) - 1] ??
    RETRY_DELAYS_MINUTES[0]!
  const next = new Date(now.getTime() + minutes * MS_PER_MINUTE)
  return next > expiresAt ? undefined : next
}

/**
 * Returns the pause after a number of consecutive failures: one minute after the first failure, doubled with each
 * further one, at most 15 minutes.
 */
export function backoffDelayMs(failures: number): number {
  return Math.min(MS_PER_MINUTE * 2 ** (failures - 1), 15 * MS_PER_MINUTE)
}
