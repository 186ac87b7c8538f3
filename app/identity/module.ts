import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
import { defineModule } from '#core/modules'
import { administrationGroup } from '#core/menu'
import { coreDependencies } from '#core/core_dependencies'
import { auditMessages } from '#identity/audit_messages'
import { mails } from '#identity/mails'
import Person from '#identity/models/person'
import { listAdministratorEmails } from '#identity/queries/administrators'
import { listUnavailableAbilities } from '#identity/policies/abilities'
import sweep from '#identity/schedules/delete_expired_sign_in_data'

declare module '#core/modules' {
  interface AuditSubjects {
    person: true
  }
  interface StaffAbilities {
    'staff.manage': true
  }
  interface MemberAbilities {
    'machines.use': true
  }
}

export default defineModule({
  name: 'identity',
  routes: () => import('#identity/routes'),
  schedules: [sweep],
  menu: {
    customer: [{ label: 'Dashboard', href: '/', icon: 'dashboard', order: 10 }],
    admin: [
      { label: 'Dashboard', href: '/admin', icon: 'dashboard', order: 10 },
      {
        ...administrationGroup,
        label: 'Staff',
        href: '/admin/staff/list',
        order: 910,
        add: 'Add user',
      },
      { ...administrationGroup, label: 'Audit log', href: '/admin/audit', order: 930 },
    ],
  },
  find: [
    {
      kind: 'Staff',
      audience: 'staff',
      async of(_actor, text, limit) {
        const rows = await queryNewestMatching(
          Person.query().where({ audience: 'staff' }),
          containsOrStartsWith('name', 'email')(text),
          limit
        )
        return rows.map(({ name, email }) => ({
          name,
          detail: email,
          href: `/admin/staff/list?search=${encodeURIComponent(email)}` as const,
        }))
      },
    },
  ],
  auditSubjects: { person: 'People' },
  auditMessages,
  mails,
  staffAbilities: { 'staff.manage': 'Only administrators can manage staff.' },
  memberAbilities: {
    'machines.use': {
      roles: ['owner', 'developer'],
      reason: 'Your role in this account is Billing: bills and payments only.',
    },
  },
  sampleData: () => import('#identity/sample_data'),
  bind() {
    coreDependencies.unavailableTo = listUnavailableAbilities
    coreDependencies.administrators = listAdministratorEmails
  },
})
