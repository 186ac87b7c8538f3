import { listRequest } from '#core/list_page'
import { activity, subjects } from '#identity/queries/activity'
import type { HttpContext } from '@adonisjs/core/http'

/** `/admin/audit`: who did what to which thing from where. */
export default class AuditController {
  async index(ctx: HttpContext) {
    const log = await activity(listRequest(ctx, subjects))
    return ctx.inertia.render('admin/audit/list' as never, log as never)
  }
}
