import { defineSchedule } from '#core/schedules/schedules'
import { serveDomains } from '#edge/serve_domains'

export default defineSchedule({
  name: 'edge.serve-domains',
  label: 'Serves domains and checks that they respond',
  every: 3,
  everywhere: true,
  run: () => serveDomains(),
})
