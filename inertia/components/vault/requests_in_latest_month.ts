/** The requests of the newest month of a map keyed by month, newest first. */
export function requestsInLatestMonth(counts: Record<string, number>): number {
  return Object.values(counts)[0] ?? 0
}
