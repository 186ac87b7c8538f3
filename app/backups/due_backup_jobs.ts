import { BUSINESS_TIME_ZONE } from '#core/business_time_zone'
import type { BackupSettings } from '#backups/backup_settings'
import { DateTime } from 'luxon'

/** Days between two drills. */
const DRILL_INTERVAL_DAYS = 7
/** Minutes after which what failed is tried again. */
const RETRY_AFTER_MINUTES = 15

/** What ended last of each; null where there was none. */
export interface LastBackups {
  /** The newest full one that succeeded, and the newest that was tried. */
  full: DateTime | null
  fullTried: DateTime | null
  point: DateTime | null
  drill: DateTime | null
  drillTried: DateTime | null
}

/**
 * What is to be done now: a full backup once a day, from its hour on, a point in time in between, a drill each week.
 * What failed waits a quarter of an hour; points go on meanwhile where there is something to go on from.
 */
export function listDueBackupJobs(
  { every, fullHour }: Pick<BackupSettings, 'every' | 'fullHour'>,
  last: LastBackups,
  now: DateTime
): ('full' | 'point' | 'drill')[] {
  const minutes = (since: DateTime | null) => (since ? now.diff(since).as('minutes') : Infinity)
  const today = now.setZone(BUSINESS_TIME_ZONE)
  const hour = today.startOf('day').plus({ hours: fullHour })
  const from = hour <= today ? hour : hour.minus({ days: 1 })
  const needsFull = !last.full || last.full < from
  if (needsFull && minutes(last.fullTried) >= RETRY_AFTER_MINUTES) return ['full']
  if (last.full && minutes(last.point) >= every) return ['point']
  const needsDrill = last.full && minutes(last.drill) >= DRILL_INTERVAL_DAYS * 24 * 60
  if (needsDrill && minutes(last.drillTried) >= 24 * 60) return ['drill']
  return []
}
