import type { HttpContext } from '@adonisjs/core/http'
import type { DatabaseQueryBuilderContract } from '@adonisjs/lucid/types/querybuilder'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

/** Page sizes that lists offer (product, "Lists and pages"). */
export const pageSizes = [50, 100, 250, 500]

export interface ListRequest {
  page: number
  length: number
  /** A status key, or empty for all. */
  status: string
  search: string
}

/** Reads `page, length, status, search` of a list's address; anything odd falls back to a default. */
export function listRequest(
  { request }: Pick<HttpContext, 'request'>,
  statuses: Record<string, string> = {}
): ListRequest {
  const query = request.qs()
  const page = Number(query.page)
  const length = Number(query.length)
  const status = String(query.status ?? '')
  return {
    page: Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1,
    length: pageSizes.includes(length) ? length : pageSizes[0],
    status: status in statuses ? status : '',
    search: typeof query.search === 'string' ? query.search.trim().slice(0, 200) : '',
  }
}

/** The text as a LIKE pattern that matches what begins with it. */
export function prefixPattern(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`
}

type Query =
  DatabaseQueryBuilderContract | ModelQueryBuilderContract<LucidModel, InstanceType<LucidModel>>

/**
 * One page of a list with the exact count (product, "Lists and pages"). The query holds scope and search;
 * status is applied here, so that the counts of the other statuses can be told.
 */
export async function listPage<Row>(
  query: Query,
  asked: ListRequest,
  { statusColumn = 'status', order = 'id' }: { statusColumn?: string; order?: string } = {}
): Promise<{
  page: number
  length: number
  count: number
  rows: Row[]
  counts: Record<string, number>
}> {
  const tally = (await (query.clone() as DatabaseQueryBuilderContract)
    .clearSelect()
    .clearOrder()
    .select(statusColumn)
    .count('* as total')
    .groupBy(statusColumn)
    .then((rows) =>
      rows.map((row: { $extras?: Record<string, unknown> } & Record<string, unknown>) => ({
        status: String(row[statusColumn.split('.').pop()!] ?? ''),
        total: Number(row.total ?? row.$extras?.total ?? 0),
      }))
    )) as { status: string; total: number }[]
  const counts = Object.fromEntries(tally.map(({ status, total }) => [status, total]))
  const all = tally.reduce((sum, { total }) => sum + total, 0)
  const count = asked.status ? (counts[asked.status] ?? 0) : all
  const page = Math.min(asked.page, Math.max(1, Math.ceil(count / asked.length)))
  const rows = await (query.clone() as DatabaseQueryBuilderContract)
    .if(asked.status, (part) => part.where(statusColumn, asked.status))
    .orderBy(order, 'desc')
    .offset((page - 1) * asked.length)
    .limit(asked.length)
  return { page, length: asked.length, count, rows: rows as Row[], counts }
}

/** Key of a status to its label, as every list gets it (product, "Words and statuses"). */
export type StatusMap = Record<string, string>
