import { dashboardCounts } from '#core/contracts/dashboard_counts'
import type { HttpContext } from '@adonisjs/core/http'

/** `/`: the landing page when signed out, the customer's dashboard when signed in. */
export default class HomeController {
  async show({ actor, inertia }: HttpContext) {
    if (!actor) return inertia.render('landing' as never, {} as never)
    return inertia.render(
      'customer/dashboard' as never,
      { counts: await dashboardCounts(actor.id) } as never
    )
  }
}
