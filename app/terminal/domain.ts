import { defineDomain } from '#core/domains'
import { auditWords } from '#terminal/audit_words'
import sweepGrants from '#terminal/schedules/sweep_grants'

declare module '#core/domains' {
  interface StaffAbilities {
    'hosts.terminal': true
  }
}

export default defineDomain({
  name: 'terminal',
  routes: () => import('#terminal/routes'),
  schedules: [sweepGrants],
  auditWords,
  staffAbilities: { 'hosts.terminal': 'Only administrators can open host terminals.' },
})
