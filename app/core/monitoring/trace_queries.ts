import { currentTraceContext } from '#packages/telemetry/trace_context'
import { beginSpan, type OpenSpan } from '#packages/telemetry/tracing'
import db from '@adonisjs/lucid/services/db'

/** Event that knex emits for each query. */
interface QueryEvent {
  __knexQueryUid: string
  sql?: string
}

export function traceQueries(): void {
  const client = db.connection().getWriteClient()
  const open = new Map<string, OpenSpan>()
  client.on('query', ({ __knexQueryUid: id, sql = '' }: QueryEvent) => {
    const origin = currentTraceContext()
    if (!origin?.span) return
    const [verb = 'query'] = sql.trimStart().split(/\s/, 1)
    open.set(
      id,
      beginSpan(
        verb.toLowerCase(),
        { 'db.system.name': 'postgresql', 'db.query.text': sql.slice(0, 2_000) },
        { origin, kind: 'client' }
      )
    )
  })
  const end = (id: string, error?: unknown) => {
    open.get(id)?.end(error)
    open.delete(id)
  }
  client.on('query-response', (_: unknown, { __knexQueryUid: id }: QueryEvent) => end(id))
  client.on('query-error', (error: unknown, { __knexQueryUid: id }: QueryEvent) => end(id, error))
}
