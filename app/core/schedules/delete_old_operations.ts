import { defineSchedule } from '#core/schedules/schedules'
import db from '@adonisjs/lucid/services/db'

/** The audit log stores its entries longer. */
const OPERATION_RETENTION_DAYS = 90

export default defineSchedule({
  name: 'operations.forget',
  label: `Deletes operations that ended more than ${OPERATION_RETENTION_DAYS} days ago`,
  every: 3_600,
  async run() {
    await db.rawQuery(
      `delete from operations where id in (
         select id from operations
         where status in ('done', 'failed') and ended_at < now() - make_interval(days => ?)
         limit 10000)`,
      [OPERATION_RETENTION_DAYS]
    )
  },
})
