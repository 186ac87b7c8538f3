import { defineSchedule } from '#core/schedules/schedules'
import db from '@adonisjs/lucid/services/db'

export default defineSchedule({
  name: 'people.sweep',
  label: 'Deletes expired codes, signed-in devices and rate limits',
  every: 3_600,
  async run() {
    await db.from('one_time_codes').whereRaw(`expires_at < now() - interval '1 day'`).delete()
    await db.from('devices').whereRaw(`seen_at < now() - interval '8 days'`).delete()
    await db.from('rate_limits').where('expire', '<', Date.now()).delete()
  },
})
