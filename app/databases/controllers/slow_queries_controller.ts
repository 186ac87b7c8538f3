import { audit } from '#core/audit/audit'
import { AppError } from '#core/app_error'
import { resolveRequestedDatabase } from '#databases/queries/resolve_requested_database'
import type { SlowQueries } from '#databases/transformers/page_props'
import type { HttpContext } from '@adonisjs/core/http'

const SLOW_LOG_UNSUPPORTED_MESSAGE = 'This database type does not record slow queries.'

export default class SlowQueriesController {
  async show(ctx: HttpContext) {
    const { server, database, monitoring } = await resolveRequestedDatabase(ctx)
    const data: SlowQueries = {
      queries: [],
      problem: monitoring ? null : SLOW_LOG_UNSUPPORTED_MESSAGE,
    }
    try {
      if (monitoring) data.queries = await monitoring.listSlowQueries(server, database.name)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      data.problem = error.message
    }
    return ctx.response
      .header('cache-control', 'no-store')
      .json({ success: true, message: '', data })
  }

  async reset(ctx: HttpContext) {
    const { actor, request, response } = ctx
    const { server, database, monitoring } = await resolveRequestedDatabase(ctx)
    await monitoring?.clearSlowQueries(server)
    await audit({
      actor,
      accountId: database.accountId,
      action: 'database.slow_reset',
      subject: { type: 'database', id: database.id, label: database.name },
      ip: request.ip(),
    })
    return response.json({ success: true, message: 'Slow query statistics reset.' })
  }
}
