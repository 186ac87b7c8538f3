import { recordProcessReports } from '#core/monitoring/measurements'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'monitoring.presence',
  label: 'Checks the Berth processes on each machine',
  every: 15,
  everywhere: true,
  run: () => recordProcessReports(),
})
