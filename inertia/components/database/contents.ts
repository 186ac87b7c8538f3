import type { BackupRow } from './types'

/** `4 tables, 120 rows`; what there is none of is not told. */
export function contentsText(contents: BackupRow['contents']): string {
  const counts = Object.entries(contents ?? {}).filter(([, count]) => count > 0)
  return counts.map(([what, count]) => `${count.toLocaleString('en-US')} ${what}`).join(', ') || '-'
}
