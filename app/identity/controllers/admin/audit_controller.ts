import { renderPage } from '#core/render_page'
import { parseListRequest } from '#core/list_page'
import {
  listAuditLog,
  auditLogListDefinition,
  listAuditLogActors,
} from '#identity/queries/audit_log'
import type { HttpContext } from '@adonisjs/core/http'

export default class AuditController {
  async index(ctx: HttpContext) {
    const list = parseListRequest(ctx, auditLogListDefinition())
    const [log, people] = await Promise.all([listAuditLog(list), listAuditLogActors(list)])
    return renderPage(ctx, 'admin/audit/list', { ...log, people })
  }
}
