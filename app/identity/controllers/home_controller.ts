import { loadDashboardCounts, loadOnboardingSteps, loadDashboardSections } from '#core/dashboard'
import { renderPage } from '#core/render_page'
import type { HttpContext } from '@adonisjs/core/http'

export default class HomeController {
  async show(ctx: HttpContext) {
    const { actorIfSignedIn: actor } = ctx
    if (!actor) return renderPage(ctx, 'landing', {})
    const [counts, steps, overview] = await Promise.all([
      loadDashboardCounts(actor.account?.id ?? null),
      loadOnboardingSteps(actor),
      loadDashboardSections(actor),
    ])
    return renderPage(ctx, 'customer/dashboard', { counts, steps, overview })
  }
}
