import { respond } from '#core/action_response'
import { parseListRequest } from '#core/list_page'
import { getOperation } from '#core/queries/operations'
import { dismissFailures, giveUpOperation, retryOperation } from '#core/operations/stuck_operations'
import { dismissFailuresValidator } from '#core/validators/system'
import { renderPage } from '#core/render_page'
import { loadHealth } from '#core/monitoring/health'
import {
  alertListDefinition,
  listAlerts,
  scheduleListDefinition,
  listSchedules,
  loadServiceTables,
  operationListDefinition,
  listOpenAndFailedOperations,
} from '#core/queries/system_page'
import type { HttpContext } from '@adonisjs/core/http'

export default class SystemController {
  async index(ctx: HttpContext) {
    const { tab } = ctx.request.qs()
    if (tab === 'schedules') {
      const page = await listSchedules(parseListRequest(ctx, scheduleListDefinition))
      return renderPage(ctx, 'admin/system', { tab: 'schedules', ...page })
    }
    if (tab === 'tables') {
      return renderPage(ctx, 'admin/system', { tab: 'tables', services: await loadServiceTables() })
    }
    if (tab === 'work') {
      const page = await listOpenAndFailedOperations(
        parseListRequest(ctx, operationListDefinition())
      )
      return renderPage(ctx, 'admin/system', { tab: 'work', ...page })
    }
    if (tab === 'alerts') {
      const page = await listAlerts(parseListRequest(ctx, alertListDefinition))
      return renderPage(ctx, 'admin/system', { tab: 'alerts', ...page })
    }
    return renderPage(ctx, 'admin/system', { tab: 'health', health: await loadHealth() })
  }

  async dismiss(ctx: HttpContext) {
    const { until } = await dismissFailuresValidator.validate(ctx.request.body())
    const count = await dismissFailures(until, ctx.actor)
    const operations = count === 1 ? 'operation' : 'operations'
    return respond(ctx, { message: `Dismissed ${count} failed ${operations}.` })
  }

  async retry(ctx: HttpContext) {
    await retryOperation(await getOperation(ctx.actor, ctx.params.id), ctx.actor)
    return respond(ctx, { message: 'The operation is running again.' })
  }

  async giveUp(ctx: HttpContext) {
    await giveUpOperation(await getOperation(ctx.actor, ctx.params.id), ctx.actor)
    return respond(ctx, { message: 'The operation was ended as failed.' })
  }
}
