import { defineSchedule } from '#core/schedules/schedules'
import { markSilentHosts } from '#hosts/silent_hosts'

export default defineSchedule({
  name: 'hosts.silent',
  label: 'Marks silent hosts as offline',
  every: 15,
  everywhere: true,
  run: markSilentHosts,
})
