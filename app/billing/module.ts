import { registerAccountResourceKind } from '#accounts/public'
import type { CountQuery } from '#core/menu_badges'
import { auditMessages } from '#billing/audit_messages'
import { mails } from '#billing/mails'
import { alerts as alertRules, gauges } from '#billing/monitoring'
import {
  billsVisibleTo,
  listBillsToPayForDashboard,
  buildBillsToReviewCountQuery,
  listOpenBillResourceRows,
} from '#billing/queries/bills'
import alerts from '#billing/schedules/send_spending_alerts'
import { billingRunOperation } from '#billing/operations/billing_run'
import { approveExactlyMatchedBillsOperation } from '#billing/operations/approve_exactly_matched_bills'
import due from '#billing/schedules/run_dunning'
import periods from '#billing/schedules/run_billing'
import { billStatuses } from '#billing/statuses'
import { defineModule } from '#core/modules'
import { queryNewestMatching } from '#core/global_search'
import { startsWith } from '#core/list_page'
import { administrationGroup } from '#core/menu'

declare module '#core/modules' {
  interface AuditSubjects {
    bill: true
    billing_run: true
    dollar_rate: true
    statement: true
  }
  interface StaffAbilities {
    'bills.decide': true
    'billing.run': true
    'billing.manage': true
  }
  interface MemberAbilities {
    'bills.pay': true
  }
}

const bills = { group: 'Billing & Payments', icon: 'receipt' } as const
const CONSOLE_BILLS_PAGE = '/admin/billing/list'

export default defineModule({
  name: 'billing',
  routes: () => import('#billing/routes'),
  schedules: [alerts, due, periods],
  alerts: alertRules,
  gauges,
  mails,
  operations: [billingRunOperation, approveExactlyMatchedBillsOperation],
  sampleData: () => import('#billing/sample_data'),
  menu: {
    customer: [{ label: 'Billing & Payment', href: '/billing', icon: 'receipt', order: 70 }],
    admin: [
      { ...bills, label: 'Overview', href: '/admin/billing/overview', order: 79 },
      { ...bills, label: 'console billing', href: CONSOLE_BILLS_PAGE, order: 80 },
      { ...bills, label: 'Statements', href: '/admin/billing/statements', order: 82 },
      { ...bills, label: 'Billing run', href: '/admin/billing/run', order: 83 },
      { ...administrationGroup, label: 'Billing', href: '/admin/billing/settings', order: 925 },
    ],
  },
  badges: ({ audience }): Record<string, CountQuery> =>
    audience === 'staff' ? { [CONSOLE_BILLS_PAGE]: buildBillsToReviewCountQuery('console') } : {},
  badgeUnits: { [CONSOLE_BILLS_PAGE]: ['bill awaits approval', 'bills await approval'] },
  overview: [{ label: 'To pay', href: '/billing', order: 30, rows: listBillsToPayForDashboard }],
  bind: () => registerAccountResourceKind({ label: 'Open bills', of: listOpenBillResourceRows }),
  find: [
    {
      kind: 'Bill',
      async of(actor, text, limit) {
        const rows = await queryNewestMatching(
          billsVisibleTo(actor),
          startsWith('number', 'trx_id')(text),
          limit
        )
        const page = actor.audience === 'staff' ? '/admin/billing/details' : '/billing'
        return rows.map(({ id, number, status }) => ({
          name: number ?? String(id),
          detail: billStatuses[status],
          href: `${page}/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: {
    bill: 'Bills',
    billing_run: 'Billing runs',
    dollar_rate: 'Billing settings',
    statement: 'Statements',
  },
  auditMessages,
  staffAbilities: {
    'bills.decide': 'Only administrators can approve or reject bills.',
    'billing.run': 'Only administrators can start a billing run.',
    'billing.manage': 'Only administrators can change the dollar rate and billing settings.',
  },
  memberAbilities: {
    'bills.pay': {
      roles: ['owner', 'billing'],
      reason: 'Only owners and billing members of the account can pay.',
    },
  },
})
