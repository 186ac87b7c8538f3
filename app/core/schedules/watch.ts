import { lookAtAlerts } from '#core/monitoring/alerts'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'monitoring.watch',
  label: 'Looks for what people must be told of',
  every: 15,
  run: () => lookAtAlerts(),
})
