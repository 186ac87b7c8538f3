import type { BackupRow } from './types'

export function restoreTestLabel({
  tables,
  rows,
  objects,
  secrets,
  notes,
}: NonNullable<BackupRow['facts']>) {
  const count = (number: number, noun: string) => `${number.toLocaleString('en-US')} ${noun}`
  const same = [
    count(rows, 'rows') + ` of ${count(tables, 'tables')}`,
    count(objects, 'objects'),
    count(secrets, 'secrets'),
  ]
  return [`Identical after the restore: ${same.join(', ')}.`, ...notes].join(' ')
}

/** Formats a duration such as `0.4 s`, `3 min`, `2 h 5 min`. */
export function durationLabel(milliseconds: number) {
  const seconds = milliseconds / 1_000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
