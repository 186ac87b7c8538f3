import { can } from '#identity/policies/abilities'
import type { HttpContext } from '@adonisjs/core/http'

/** `/admin`: who is signed in, and the way to staff. */
export default class DashboardController {
  async show({ inertia, actor }: HttpContext) {
    return inertia.render(
      'admin/dashboard' as never,
      { manage: can(actor!, 'staff.manage') } as never
    )
  }
}
