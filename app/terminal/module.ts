import { defineModule } from '#core/modules'
import { auditMessages } from '#terminal/audit_messages'
import sweepGrants from '#terminal/schedules/delete_expired_grants'

declare module '#core/modules' {
  interface StaffAbilities {
    'hosts.terminal': true
  }
}

export default defineModule({
  name: 'terminal',
  routes: () => import('#terminal/routes'),
  schedules: [sweepGrants],
  auditMessages,
  staffAbilities: { 'hosts.terminal': 'Only administrators can open host terminals.' },
})
