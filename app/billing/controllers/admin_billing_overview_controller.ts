import { loadBillingOverview } from '#billing/queries/overview'
import { renderPage } from '#core/render_page'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

export default class AdminBillingOverviewController {
  async index(ctx: HttpContext) {
    return renderPage(ctx, 'admin/billing/overview', await loadBillingOverview(DateTime.utc()))
  }
}
