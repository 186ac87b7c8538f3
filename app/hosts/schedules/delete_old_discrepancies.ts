import { defineSchedule } from '#core/schedules/schedules'
import db from '@adonisjs/lucid/services/db'

const FINDING_RETENTION_DAYS = 90

export async function deleteOldDiscrepancies(): Promise<void> {
  await db.rawQuery(
    `delete from compute_findings where id in (
       select id from compute_findings where gone_at < now() - make_interval(days => ?)
       limit 10000)`,
    [FINDING_RETENTION_DAYS]
  )
}

export default defineSchedule({
  name: 'hosts.forget-findings',
  label: `Deletes host findings after ${FINDING_RETENTION_DAYS} days`,
  every: 3_600,
  run: deleteOldDiscrepancies,
})
