import { forgetFigures } from '#core/monitoring/processes'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'monitoring.forget',
  label: 'Removes figures and alerts of long ago',
  every: 3_600,
  run: forgetFigures,
})
