import { can } from '#identity/policies/abilities'
import { renderPage } from '#core/page'
import type { HttpContext } from '@adonisjs/core/http'

/** `/admin`: who is signed in, and the way to staff. */
export default class DashboardController {
  async show(ctx: HttpContext) {
    return renderPage(ctx, 'admin/dashboard', { manage: can(ctx.actor!, 'staff.manage') })
  }
}
