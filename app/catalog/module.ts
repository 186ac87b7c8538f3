import { auditMessages } from '#catalog/audit_messages'
import { defineModule } from '#core/modules'
import renewSubscriptions from '#catalog/schedules/renew_subscriptions'
import { administrationGroup } from '#core/menu'

declare module '#core/modules' {
  interface AuditSubjects {
    server_package: true
  }
  interface StaffAbilities {
    'packages.manage': true
  }
}

export default defineModule({
  name: 'catalog',
  routes: () => import('#catalog/routes'),
  schedules: [renewSubscriptions],
  menu: {
    admin: [
      { ...administrationGroup, label: 'Packages', href: '/admin/server-package/list', order: 920 },
    ],
  },
  auditSubjects: { server_package: 'Packages' },
  auditMessages,
  staffAbilities: { 'packages.manage': 'Only administrators can change packages and prices.' },
})
