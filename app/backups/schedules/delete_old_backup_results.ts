import { defineSchedule } from '#core/schedules/schedules'
import db from '@adonisjs/lucid/services/db'

/** Days until a result is deleted. The newest result of each kind is never deleted. */
const BACKUP_HISTORY_DAYS = 60

export default defineSchedule({
  name: 'backups.forget',
  label: `Deletes backup results after ${BACKUP_HISTORY_DAYS} days`,
  every: 86_400,
  async run() {
    await db.rawQuery(
      `delete from backups b where started_at < now() - make_interval(days => ?)
         and exists (select from backups newer where newer.kind = b.kind and newer.id > b.id)`,
      [BACKUP_HISTORY_DAYS]
    )
  },
})
