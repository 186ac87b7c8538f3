import { defineDomain } from '#core/domains'


/** What menus have of domains that are not there yet; each takes its lines away when it comes. */
export default defineDomain({
  name: 'soon',
  routes: () => import('#soon/routes'),
  menu: {
    admin: [
      { label: 'Live Support', href: '/admin/live-support', icon: 'messages', order: 70 },
    ],
  },
})
