/** @param counts by month, newest first. The server always includes the current month (UTC) */
export function sentInLatestMonth(counts: Record<string, number>): number {
  return Object.values(counts)[0] ?? 0
}
