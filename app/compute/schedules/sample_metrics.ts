import { incusOf } from '#compute/connections'
import { sampleHosts } from '#compute/metrics/sample_hosts'
import { defineSchedule } from '#core/schedules/schedules'

defineSchedule({
  name: 'metrics.sample',
  label: 'Measures hosts and instances',
  every: 60,
  run: () => sampleHosts(incusOf),
})
