import type { BackupRow } from './types'

const contentKinds = ['tables', 'rows', 'views', 'routines', 'triggers', 'events'] as const

/**
 * Returns for example `4 tables, 1 view`, or `-` if the backup is empty or its contents are unknown. Omits types of
 * which the backup has none.
 */
export function backupContentsLabel(contents: BackupRow['contents']): string {
  const parts = contentKinds.flatMap((kind) => {
    const count = contents?.[kind] ?? 0
    if (count === 0) return []
    return [`${count.toLocaleString('en-US')} ${count === 1 ? kind.slice(0, -1) : kind}`]
  })
  return parts.join(', ') || '-'
}
