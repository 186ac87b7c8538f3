import { runBilling } from '#billing/charging/run_billing'
import { defineSchedule } from '#core/schedules/schedules'
import { DateTime } from 'luxon'

export default defineSchedule({
  name: 'billing.run',
  label: 'Makes bills of what began, was renewed and, of a month that is over, used',
  every: 600,
  run: (signal) => runBilling(DateTime.utc(), signal),
})
