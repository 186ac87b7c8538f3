import { defineSchedule } from '#core/schedules/schedules'
import { incusClientFor } from '#hosts/public_effects'
import { measureHosts } from '#metrics/measure_hosts'

export default defineSchedule({
  name: 'metrics.sample',
  label: 'Measures the resource use of hosts and instances',
  every: 60,
  everywhere: true,
  run: () => measureHosts(incusClientFor),
})
