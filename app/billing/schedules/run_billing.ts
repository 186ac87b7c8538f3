import { runBilling } from '#billing/charging/run_billing'
import { defineSchedule } from '#core/schedules/schedules'
import { DateTime } from 'luxon'

export default defineSchedule({
  name: 'billing.run',
  label: 'Bills new services, renewals and the usage of past months',
  every: 600,
  run: (signal) => runBilling(DateTime.utc(), signal),
})
