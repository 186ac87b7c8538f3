import { recordProcessReports } from '#core/monitoring/processes'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'monitoring.presence',
  label: 'Checks the processes of this machine',
  every: 15,
  everywhere: true,
  run: () => recordProcessReports(),
})
