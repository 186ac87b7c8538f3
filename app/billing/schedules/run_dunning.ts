import { runDunning } from '#billing/actions/dunning'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'billing.due',
  label: 'Sends payment reminders; suspends and resumes accounts',
  every: 600,
  run: (signal) => runDunning(undefined, signal),
})
