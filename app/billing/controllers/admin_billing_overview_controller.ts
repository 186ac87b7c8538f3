import { loadBillingOverview } from '#billing/queries/overview'
import { renderPage } from '#core/render_page'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

/** Income, bills under review and overdue bills, for all staff. */
export default class AdminBillingOverviewController {
  async index(ctx: HttpContext) {
    return renderPage(ctx, 'admin/billing/overview', await loadBillingOverview(DateTime.utc()))
  }
}
