import { defineSchedule } from '#core/schedules/schedules'
import { markSilentHosts } from '#hosts/silent_hosts'

export default defineSchedule({
  name: 'hosts.silent',
  label: 'Marks hosts that do not respond as offline',
  every: 15,
  everywhere: true,
  run: markSilentHosts,
})
