/** Keys are months, newest first. */
export function sentInLatestMonth(counts: Record<string, number>): number {
  return Object.values(counts)[0] ?? 0
}
