import { notePresence } from '#core/monitoring/processes'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'monitoring.presence',
  label: 'Asks how the processes of the machine are',
  every: 15,
  everywhere: true,
  run: () => notePresence(),
})
