import { followDue } from '#billing/actions/standing'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'billing.due',
  label: 'Reminds of bills, and suspends and resumes accounts by what they owe',
  every: 600,
  run: (signal) => followDue(undefined, signal),
})
