import { checkAbility } from '#identity/policies/abilities'
import { listAttentionItems } from '#core/dashboard'
import { countFailuresOnDashboard } from '#core/queries/system_page'
import { renderPage } from '#core/render_page'
import type { HttpContext } from '@adonisjs/core/http'

export default class DashboardController {
  async show(ctx: HttpContext) {
    return renderPage(ctx, 'admin/dashboard', {
      manage: checkAbility(ctx.actor, 'staff.manage'),
      readAt: new Date().toISOString(),
      needs: await listAttentionItems(ctx.actor),
      failures: await countFailuresOnDashboard(),
    })
  }
}
