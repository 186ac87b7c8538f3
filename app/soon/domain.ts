import { defineDomain } from '#core/domains'

const bills = { group: 'Billing & Payments', icon: 'receipt' } as const
const none = () => Promise.resolve(0)

/** What menus and dashboard have of domains that are not there yet; each takes its lines away when it comes. */
export default defineDomain({
  name: 'soon',
  routes: () => import('#soon/routes'),
  menu: {
    customer: [{ label: 'Billing & Payment', href: '/billing', icon: 'receipt', order: 70 }],
    admin: [
      { label: 'Email', href: '/admin/email/list', icon: 'mail', order: 50 },
      { ...bills, label: 'console billing', href: '/admin/billing/list', order: 80 },
      {
        ...bills,
        label: 'Auto Courier billing',
        href: '/admin/autocourier-billing/list',
        order: 81,
      },
    ],
  },
  dashboard: [{ label: 'Total Emails', href: '/email/list', order: 30, count: none }],
})
