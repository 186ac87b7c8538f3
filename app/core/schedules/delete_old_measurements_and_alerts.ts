import { deleteOldMeasurementsAndAlerts } from '#core/monitoring/measurements'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'monitoring.forget',
  label: 'Deletes old statistics and alerts',
  every: 3_600,
  run: deleteOldMeasurementsAndAlerts,
})
