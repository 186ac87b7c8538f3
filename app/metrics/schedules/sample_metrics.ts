import { defineSchedule } from '#core/schedules/schedules'
import { incusClientFor } from '#hosts/public'
import { sampleHosts } from '#metrics/sample_hosts'

export default defineSchedule({
  name: 'metrics.sample',
  label: 'Measures hosts and instances',
  every: 60,
  everywhere: true,
  run: () => sampleHosts(incusClientFor),
})
