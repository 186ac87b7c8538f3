import { serveDomains } from '#compute/edge/serve_domains'
import { defineSchedule } from '#core/schedules/schedules'

defineSchedule({
  name: 'edge.serve-domains',
  label: 'Serves domains and asks whether they answer',
  every: 3,
  run: () => serveDomains(),
})
