import { evaluateAlertRules } from '#core/monitoring/alerts'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'monitoring.watch',
  label: 'Checks whether an alert starts or ends',
  every: 15,
  run: () => evaluateAlertRules(),
})
