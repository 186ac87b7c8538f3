import { defineDomain } from '#core/domains'

const none = () => Promise.resolve(0)

/** What menus and dashboard have of domains that are not there yet; each takes its lines away when it comes. */
export default defineDomain({
  name: 'soon',
  routes: () => import('#soon/routes'),
  menu: {
    admin: [
      { label: 'Email', href: '/admin/email/list', icon: 'mail', order: 50 },
      { label: 'Live Support', href: '/admin/live-support', icon: 'messages', order: 70 },
    ],
  },
  dashboard: [{ label: 'Total Emails', href: '/email/list', order: 30, count: none }],
})
