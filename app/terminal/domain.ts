import { defineDomain } from '#core/domains'
import sweepGrants from '#terminal/schedules/sweep_grants'

declare module '#core/domains' {
  interface Abilities {
    'hosts.terminal': true
  }
}

export default defineDomain({
  name: 'terminal',
  routes: () => import('#terminal/routes'),
  schedules: [sweepGrants],
  abilities: { 'hosts.terminal': 'Only administrators can open host terminals.' },
})
