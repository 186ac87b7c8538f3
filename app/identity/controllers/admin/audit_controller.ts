import { renderPage } from '#core/render_page'
import { listRequest } from '#core/list_page'
import { activity, activityList, peopleOfLog } from '#identity/queries/activity'
import type { HttpContext } from '@adonisjs/core/http'

/** `/admin/audit`: who did what to which thing from where. */
export default class AuditController {
  async index(ctx: HttpContext) {
    const asked = listRequest(ctx, activityList())
    const [log, people] = await Promise.all([activity(asked), peopleOfLog(asked)])
    return renderPage(ctx, 'admin/audit/list', { ...log, people })
  }
}
