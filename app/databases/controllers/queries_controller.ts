import { audit } from '#core/audit/audit'
import { AppError } from '#core/app_error'
import {
  type ResolvedDatabase,
  resolveRequestedDatabase,
  databaseServerKey,
} from '#databases/queries/resolve_requested_database'
import { csvHeader, csvLine } from '#databases/query/csv'
import { queryCancelled, StatementError } from '#databases/query/statement_errors'
import { statementKind } from '#databases/query/read_only'
import { withQueryLock } from '#databases/query/query_lock'
import type { ResultColumn } from '#databases/servers/engine_driver'
import {
  cancelQueryValidator,
  downloadQueryValidator,
  MAX_RESULT_ROWS,
  runQueryValidator,
} from '#databases/validators/query'
import type { HttpContext } from '@adonisjs/core/http'
import { randomUUID } from 'node:crypto'

/** `limit`: maximum number of rows. `timeout` in seconds. */
const DEFAULT_QUERY_LIMITS = { limit: 100, timeout: 10 }

/** Berth stores neither queries nor results. */
export default class QueriesController {
  async store(ctx: HttpContext) {
    const { request, response } = ctx
    const reached = await resolveRequestedDatabase(ctx)
    const {
      id,
      sql,
      query,
      write = false,
      ...bounds
    } = await request.validateUsing(runQueryValidator)
    const { server, database, browse } = reached
    const text = sql ?? query!
    const queryInput = { ...DEFAULT_QUERY_LIMITS, ...bounds, id: keyOf(ctx, id), text, write }
    try {
      const data = await runUntilDisconnect(ctx, reached, queryInput.id, async () => {
        // The audit entry is written before the query runs, because an interrupted query may have changed data.
        if (write) await noteChange(ctx, reached, text)
        return browse.query(server, database.name, queryInput)
      })
      return response.header('cache-control', 'no-store').json({ success: true, message: '', data })
    } catch (error) {
      if (!(error instanceof StatementError)) throw error
      const { status, code, message, errors, fault } = error
      return response.status(status).json({ success: false, code, message, errors, data: fault })
    }
  }

  async download(ctx: HttpContext) {
    const { request } = ctx
    const reached = await resolveRequestedDatabase(ctx)
    const { id, sql, query, exact } = await request.validateUsing(downloadQueryValidator)
    const { server, database, browse } = reached
    const queryInput = { id: keyOf(ctx, id), text: sql ?? query! }
    const file = fileOf(ctx, `${database.name}.csv`, exact)
    await runUntilDisconnect(ctx, reached, queryInput.id, async () => {
      try {
        if (browse.download) await browse.download(server, database.name, queryInput, file)
        else {
          const whole = { ...queryInput, write: false, limit: MAX_RESULT_ROWS, timeout: 60 }
          const { columns, rows, more } = await browse.query(server, database.name, whole)
          if (more) throw tooManyForFile()
          file.columns(columns.map((name) => ({ name, kind: 'text' })))
          for (const row of rows) await file.row(row)
        }
        file.end()
      } catch (error) {
        if (!file.hasBegun()) throw error
        // Closes the connection, because a truncated file would look complete.
        ctx.response.response.destroy()
      }
    })
  }

  async cancel(ctx: HttpContext) {
    const { server, database, browse } = await resolveRequestedDatabase(ctx)
    const { id } = await ctx.request.validateUsing(cancelQueryValidator)
    await browse.cancel(server, database.name, keyOf(ctx, id))
    return ctx.response.json({ success: true, message: 'Cancelling the query.' })
  }
}

function tooManyForFile(): AppError {
  const maxRows = MAX_RESULT_ROWS.toLocaleString('en')
  const message = `The query returns more than ${maxRows}, too many for one file. Limit the query, or export the database.`
  return new AppError('too_many_rows', 422, message)
}

/** Contains the person and the database, so that nobody can cancel another person's query by guessing its id. */
function keyOf({ actor, params }: HttpContext, id: string = randomUUID()): string {
  return `${actor.audience}-${actor.id}-${params.id}-${id}`
}

async function runUntilDisconnect<T>(
  { actor, response }: HttpContext,
  { server, database, browse }: ResolvedDatabase,
  id: string,
  work: () => Promise<T>
): Promise<T> {
  const raw = response.response
  const gone = () => {
    if (!raw.writableFinished) void browse.cancel(server, database.name, id).catch(() => {})
  }
  raw.once('close', gone)
  try {
    const person = `${actor.audience}-${actor.id}`
    const turn = { person, database: database.id, server: databaseServerKey(server) }
    return await withQueryLock(turn, () => {
      if (raw.destroyed) throw queryCancelled()
      return work()
    })
  } finally {
    raw.off('close', gone)
  }
}

/** The audit entry contains the kind of the statement, but not its text. */
async function noteChange(
  { actor, request }: HttpContext,
  { database }: ResolvedDatabase,
  text: string
) {
  await audit({
    actor,
    accountId: database.accountId,
    action: 'database.query',
    subject: { type: 'database', id: database.id, label: database.name },
    after: { statement: statementKind(database.engine, text) },
    ip: request.ip(),
  })
}

/** Sends the response headers only when the columns are known. An earlier error can then be a normal error response. */
function fileOf({ response }: HttpContext, name: string, exact = false) {
  const raw = response.response
  let known: ResultColumn[] | undefined
  return {
    hasBegun: () => raw.headersSent,
    columns(columns: ResultColumn[]) {
      known = columns
      response.header('content-type', 'text/csv; charset=utf-8; header=present')
      response.header(
        'content-disposition',
        `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`
      )
      response.header('cache-control', 'no-store')
      response.header('x-content-type-options', 'nosniff')
      response.relayHeaders()
      raw.writeHead(200)
      raw.write(csvHeader(columns, exact))
    },
    async row(cells: (string | null)[]) {
      if (raw.destroyed) throw new Error('The client closed the download')
      if (raw.write(csvLine(known!, cells, exact))) return
      await new Promise<void>((resolve) => {
        const goOn = () => {
          raw.off('drain', goOn).off('close', goOn)
          resolve()
        }
        raw.once('drain', goOn).once('close', goOn)
      })
    },
    end() {
      raw.end()
    },
  }
}
