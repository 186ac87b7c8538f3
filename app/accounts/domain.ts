import { auditWords } from '#accounts/audit_words'
import { mails } from '#accounts/mails'
import { foundWithPeople } from '#accounts/founding'
import { customersFound } from '#accounts/queries/customers'
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
  find: [
    {
      ...{ kind: 'Customer', audience: 'staff' },
      async of(_actor, words, most) {
        const rows = await customersFound(words, most)
        return rows.map(({ id, name, email }) => ({
          ...{ name, detail: email },
          href: `/admin/customer/${id}` as const,
        }))
      },
    },
  ],
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
