import { tellAlerts } from '#billing/actions/alerts'
import { defineSchedule } from '#core/schedules/schedules'
import { DateTime } from 'luxon'

export default defineSchedule({
  name: 'billing.alerts',
  label: 'Tells accounts whose month has come to the sum that they chose',
  every: 600,
  run: (signal) => tellAlerts(DateTime.utc(), signal),
})
