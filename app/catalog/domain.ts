import { auditWords } from '#catalog/audit_words'
import { defineDomain } from '#core/domains'
import renewSubscriptions from '#catalog/schedules/renew_subscriptions'
import { administration } from '#core/menu'

declare module '#core/domains' {
  interface AuditSubjects {
    server_package: true
  }
  interface StaffAbilities {
    'packages.manage': true
  }
}

export default defineDomain({
  name: 'catalog',
  routes: () => import('#catalog/routes'),
  schedules: [renewSubscriptions],
  menu: {
    admin: [
      { ...administration, label: 'Packages', href: '/admin/server-package/list', order: 920 },
    ],
  },
  auditSubjects: { server_package: 'Packages' },
  auditWords,
  staffAbilities: { 'packages.manage': 'Only administrators can change packages and prices.' },
})
