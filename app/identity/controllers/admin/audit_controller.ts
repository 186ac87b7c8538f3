import { auditSubjects } from '#core/audit/audit'
import { renderPage } from '#core/page'
import { listRequest } from '#core/list_page'
import { activity } from '#identity/queries/activity'
import type { HttpContext } from '@adonisjs/core/http'

/** `/admin/audit`: who did what to which thing from where. */
export default class AuditController {
  async index(ctx: HttpContext) {
    const log = await activity(listRequest(ctx, auditSubjects()))
    return renderPage(ctx, 'admin/audit/list', log)
  }
}
