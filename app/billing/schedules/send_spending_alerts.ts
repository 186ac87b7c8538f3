import { sendSpendingAlerts } from '#billing/actions/spending_alerts'
import { defineSchedule } from '#core/schedules/schedules'
import { DateTime } from 'luxon'

export default defineSchedule({
  name: 'billing.alerts',
  label: 'Emails accounts that reached their monthly alert amount',
  every: 600,
  run: (signal) => sendSpendingAlerts(DateTime.utc(), signal),
})
