import { auditMessages } from '#accounts/audit_messages'
import { mails } from '#accounts/mails'
import { registerAccountCreationOnSignup } from '#accounts/account_creation_on_signup'
import Member from '#accounts/models/member'
import { searchCustomers } from '#accounts/queries/customers'
import { customerNameSql, customerSearchTextSql } from '#accounts/queries/customer_search_sql'
import { saveDefaultInstance, loadActorAccounts } from '#accounts/queries/memberships'
import enforceSuspensions from '#accounts/schedules/apply_suspensions_and_resumes'
import { accountIdOf } from '#core/contracts/actor'
import { containsOrStartsWith } from '#core/list_page'
import { defineModule } from '#core/modules'
import { administrationGroup } from '#core/menu'
import { coreDependencies } from '#core/core_dependencies'
import { membershipProvider } from '#identity/public'

declare module '#core/modules' {
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

export default defineModule({
  name: 'accounts',
  routes: () => import('#accounts/routes'),
  schedules: [enforceSuspensions],
  menu: {
    admin: [
      { ...administrationGroup, label: 'Customers', href: '/admin/customer/list', order: 900 },
    ],
  },
  find: [
    {
      kind: 'Member',
      audience: 'customer',
      async of(actor, text, limit) {
        const { sql, bindings } = containsOrStartsWith('name', 'email')(text)
        const rows = await Member.query()
          .where('accountId', accountIdOf(actor))
          .whereHas('person', (people) => void people.whereRaw(`(${sql})`, bindings))
          .preload('person')
          .orderBy('personId', 'desc')
          .limit(limit)
        return rows.map(({ person }) => ({
          name: person.name,
          detail: person.email,
          href: '/profile/members' as const,
        }))
      },
    },
    {
      kind: 'Customer',
      audience: 'staff',
      async of(_actor, text, limit) {
        const rows = await searchCustomers(text, limit)
        return rows.map(({ id, name, email }) => ({
          name,
          detail: email,
          href: `/admin/customer/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { account: 'Accounts' },
  auditMessages,
  mails,
  staffAbilities: {
    'customers.manage': 'Only administrators can suspend customers or sign out their members.',
  },
  memberAbilities: {
    'members.manage': { roles: ['owner'], reason: 'Only owners of the account can do this.' },
  },
  bind() {
    Object.assign(membershipProvider, {
      of: loadActorAccounts,
      chooseInstance: saveDefaultInstance,
    })
    coreDependencies.customers = { name: customerNameSql, words: customerSearchTextSql }
    registerAccountCreationOnSignup()
  },
})
