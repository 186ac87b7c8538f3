import type { FileRow } from './types'

export type SortKey = 'name' | 'size' | 'modified' | 'mode'

export interface SortOrder {
  by: SortKey
  down: boolean
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compare(a: FileRow, b: FileRow, by: SortKey) {
  if (by === 'size') return a.size - b.size
  if (by === 'name') return names.compare(a.name, b.name)
  return a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0
}

export function sortRows(rows: FileRow[], { by, down }: SortOrder) {
  return [...rows].sort((a, b) => {
    if (a.type !== b.type) return a.type === 'folder' ? -1 : 1
    const order = compare(a, b, by)
    if (order !== 0) return down ? -order : order
    return names.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
  })
}
