import { displayTimeZone } from '#core/settings/regional_settings'
import type { BackupSettings } from '#backups/backup_settings'
import { DateTime } from 'luxon'

const DRILL_INTERVAL_DAYS = 7
const RETRY_AFTER_MINUTES = 15

/** Start times of the latest backups and restore tests (`drill`). Null: none yet. */
export interface LastBackups {
  /** `full`, `drill`: newest successful one. `fullTried`, `drillTried`: newest finished one, also if it failed. */
  full: DateTime | null
  fullTried: DateTime | null
  /** Newest finished full or point-in-time backup, also if it failed. */
  point: DateTime | null
  drill: DateTime | null
  drillTried: DateTime | null
}

/**
 * Returns the most urgent due job, or an empty list: a full backup each day after `fullHour`, point-in-time backups
 * between full ones, or a restore test each week. A failed full backup is retried after 15 minutes, a failed restore
 * test after a day. A point-in-time backup is possible only after a full backup.
 */
export function listDueBackupJobs(
  { every, fullHour }: Pick<BackupSettings, 'every' | 'fullHour'>,
  last: LastBackups,
  now: DateTime
): ('full' | 'point' | 'drill')[] {
  const minutes = (since: DateTime | null) => (since ? now.diff(since).as('minutes') : Infinity)
  const today = now.setZone(displayTimeZone())
  const hour = today.startOf('day').plus({ hours: fullHour })
  const from = hour <= today ? hour : hour.minus({ days: 1 })
  const needsFull = !last.full || last.full < from
  if (needsFull && minutes(last.fullTried) >= RETRY_AFTER_MINUTES) return ['full']
  if (last.full && minutes(last.point) >= every) return ['point']
  const needsDrill = last.full && minutes(last.drill) >= DRILL_INTERVAL_DAYS * 24 * 60
  if (needsDrill && minutes(last.drillTried) >= 24 * 60) return ['drill']
  return []
}
