import { auditWords } from '#accounts/audit_words'
import { mails } from '#accounts/mails'
import { foundWithPeople } from '#accounts/founding'
import { customerName, customerWords } from '#accounts/queries/search'
import { chooseInstance, membershipsOf } from '#accounts/queries/memberships'
import standing from '#accounts/schedules/standing'
import { defineDomain } from '#core/domains'
import { administration } from '#core/menu'
import { services } from '#core/services'
import { memberships } from '#identity/public'

declare module '#core/domains' {
  interface AuditSubjects {
    account: true
  }
  interface StaffAbilities {
    'customers.manage': true
  }
  interface MemberAbilities {
    'members.manage': true
  }
}

export default defineDomain({
  name: 'accounts',
  routes: () => import('#accounts/routes'),
  schedules: [standing],
  menu: {
    admin: [{ ...administration, label: 'Customers', href: '/admin/customer/list', order: 900 }],
  },
  auditSubjects: { account: 'Accounts' },
  auditWords,
  mails,
  staffAbilities: {
    'customers.manage': 'Only administrators can suspend customers or sign them out.',
  },
  memberAbilities: {
    'members.manage': { roles: ['owner'], reason: 'Only owners of the account can do this.' },
  },
  bind() {
    Object.assign(memberships, { of: membershipsOf, chooseInstance })
    services.customers = { name: customerName, words: customerWords }
    foundWithPeople()
  },
})
