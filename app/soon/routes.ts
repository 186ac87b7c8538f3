import { renderPage } from '#core/page'
import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

/** Addresses whose screens are not built yet, with their titles. */
const soon: Record<string, string> = {
  '/admin/live-support': 'Live Support',
}

for (const [path, title] of Object.entries(soon)) {
  router.get(path, (ctx) => renderPage(ctx, 'soon', { title })).use(middleware.signedIn())
}
