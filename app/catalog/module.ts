import { auditMessages } from '#catalog/audit_messages'
import ServerPackage from '#catalog/models/server_package'
import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
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
  find: [
    {
      kind: 'Package',
      audience: 'staff',
      async of(_actor, text, limit) {
        const rows = await queryNewestMatching(
          ServerPackage.query(),
          containsOrStartsWith('name')(text),
          limit
        )
        return rows.map(({ name, instanceType }) => ({
          name,
          detail: instanceType,
          href: `/admin/server-package/list?search=${encodeURIComponent(name)}` as const,
        }))
      },
    },
  ],
  auditSubjects: { server_package: 'Packages' },
  auditMessages,
  staffAbilities: { 'packages.manage': 'Only administrators can change packages and prices.' },
})
