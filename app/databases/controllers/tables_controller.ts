import { resolveRequestedDatabase } from '#databases/queries/resolve_requested_database'
import { tableRowsValidator, tableStructureValidator } from '#databases/validators/query'
import type { HttpContext } from '@adonisjs/core/http'

const DEFAULT_PAGE_ROWS = 100

export default class TablesController {
  async rows(ctx: HttpContext) {
    const { request, response } = ctx
    const { server, database, browse } = await resolveRequestedDatabase(ctx)
    const rowsInput = await request.validateUsing(tableRowsValidator)
    const data = await browse.rows(server, database.name, {
      page: 1,
      limit: DEFAULT_PAGE_ROWS,
      ...rowsInput,
    })
    return response.header('cache-control', 'no-store').json({ success: true, message: '', data })
  }

  async structure(ctx: HttpContext) {
    const { request, response } = ctx
    const { server, database, browse } = await resolveRequestedDatabase(ctx)
    const { table } = await request.validateUsing(tableStructureValidator)
    const data = await browse.structure(server, database.name, table)
    return response.json({ success: true, message: '', data })
  }
}
