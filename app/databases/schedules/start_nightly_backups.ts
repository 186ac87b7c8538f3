import { defineSchedule } from '#core/schedules/schedules'
import { mailFailingNightlyBackups } from '#databases/actions/mail_failing_nightly_backups'
import { startDatabaseBackup } from '#databases/actions/start_database_backup'
import Database from '#databases/models/database'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** Backups start from hour `from` (UTC), spread over `hours` by the database's id. */
const BACKUP_WINDOW_UTC = { from: 19, hours: 6 }
/** `minutes`: minimum time from one attempt's start to the next. `times`: maximum number of attempts per night. */
const RETRY_POLICY = { minutes: 60, times: 3 }
const MAX_BACKUPS_PER_RUN = 20

export function backupMinuteOfNight(id: number): number {
  return (id * 7_919) % (BACKUP_WINDOW_UTC.hours * 60)
}

/** Starts up to `MAX_BACKUPS_PER_RUN` due backups, including retries of failed ones. Returns how many it started. */
export async function startNightlyBackups(now = DateTime.utc()): Promise<number> {
  const night = nightOf(now)
  if (!night) return 0
  const minute = Math.floor(now.diff(night, 'minutes').minutes)
  const due = await db
    .from('databases')
    .where({ status: 'active', backup_nightly: true })
    .whereRaw('(id * 7919) % ? <= ?', [BACKUP_WINDOW_UTC.hours * 60, minute])
    .whereRaw(
      `not exists (select from database_backups b where b.database_id = databases.id and b.reason = 'nightly'
         and b.created_at >= ? and (b.status in ('running', 'done', 'deleted') or b.created_at > ?))`,
      [night.toSQL()!, now.minus({ minutes: RETRY_POLICY.minutes }).toSQL()!]
    )
    .whereRaw(
      `(select count(*) from database_backups b where b.database_id = databases.id and b.reason = 'nightly'
         and b.created_at >= ? and b.status = 'failed') < ?`,
      [night.toSQL()!, RETRY_POLICY.times]
    )
    .orderBy('id')
    .limit(MAX_BACKUPS_PER_RUN)
    .select('id')
  for (const { id } of due) await startDatabaseBackup(await Database.findOrFail(id), 'nightly')
  return due.length
}

/** Returns the start of the night, or null outside it. The night ends two hours after the window, for retries. */
function nightOf(now: DateTime): DateTime | null {
  const today = now.startOf('day').plus({ hours: BACKUP_WINDOW_UTC.from })
  const began = now >= today ? today : today.minus({ days: 1 })
  return now < began.plus({ hours: BACKUP_WINDOW_UTC.hours + 2 }) ? began : null
}

export default defineSchedule({
  name: 'databases.backups',
  label: 'Creates the nightly database backups',
  every: 300,
  run: async () => {
    await startNightlyBackups()
    await mailFailingNightlyBackups()
  },
})
