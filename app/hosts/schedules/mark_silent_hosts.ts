import { defineSchedule } from '#core/schedules/schedules'
import { markSilentHosts } from '#hosts/silent'

export default defineSchedule({
  name: 'hosts.silent',
  label: 'Marks hosts offline that no console hears from',
  every: 15,
  everywhere: true,
  run: markSilentHosts,
})
