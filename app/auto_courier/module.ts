import { auditMessages } from '#auto_courier/audit_messages'
import { queueBillDecisionForAutoCourier } from '#auto_courier/outgoing_events'
import sendEvents from '#auto_courier/schedules/send_events'
import { SIGNED_CALL_ROUTES } from '#auto_courier/signed_call_routes'
import {
  buildBillsToReviewCountQuery,
  onBillDecided,
  registerExternalBillFamily,
} from '#billing/public'
import type { CountQuery } from '#core/menu_badges'
import { defineModule } from '#core/modules'

const BILLS_PAGE = '/admin/autocourier-billing/list'

export default defineModule({
  name: 'auto_courier',
  routes: () => import('#auto_courier/routes'),
  csrfExemptRoutes: Object.values(SIGNED_CALL_ROUTES),
  schedules: [sendEvents],
  menu: {
    admin: [
      {
        group: 'Billing & Payments',
        icon: 'receipt',
        label: 'Auto Courier billing',
        href: BILLS_PAGE,
        order: 81,
      },
    ],
  },
  badges: ({ audience }): Record<string, CountQuery> =>
    audience === 'staff' ? { [BILLS_PAGE]: buildBillsToReviewCountQuery('autocourier') } : {},
  badgeUnits: {
    [BILLS_PAGE]: ['Auto Courier bill awaits approval', 'Auto Courier bills await approval'],
  },
  auditMessages,
  bind() {
    registerExternalBillFamily('autocourier', 'Auto Courier')
    onBillDecided(queueBillDecisionForAutoCourier)
  },
})
