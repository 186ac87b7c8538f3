/**
 * Returns the count of the latest month.
 * @param counts by month, newest first
 */
export function requestsInLatestMonth(counts: Record<string, number>): number {
  return Object.values(counts)[0] ?? 0
}
