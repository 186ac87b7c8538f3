import { renderPage } from '#core/page'
import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

/** Addresses whose screens are not built yet, with their titles. */
const soon: Record<string, string> = {
  '/email/list': 'Email',
  '/billing': 'Billing & Payment',
  '/admin/email/list': 'Email',
  '/admin/billing/list': 'Billing List',
  '/admin/autocourier-billing/list': 'Auto Courier Billing List',
}

for (const [path, title] of Object.entries(soon)) {
  router
    .get(path, (ctx) => renderPage(ctx, 'soon', { title }))
    .use(path === '/billing' ? middleware.signedIn('everyMember') : middleware.signedIn())
}
