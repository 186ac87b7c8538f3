import type { HttpContext } from '@adonisjs/core/http'
import type { DatabaseQueryBuilderContract } from '@adonisjs/lucid/types/querybuilder'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

/** Page sizes that lists offer (product, "Lists and pages"). */
export const pageSizes = [50, 100, 250, 500]

/** Key of a status to its label, as every list gets it (product, "Words and statuses"). */
export type StatusMap = Record<string, string>

/** A part of a WHERE clause. */
export interface Condition {
  sql: string
  bindings: (string | number)[]
}

/** What a list is told by, sorted by and searched in; all SQL in it is written by us. */
export interface ListDefinition {
  /** Status keys to labels, in the order of the filter's buttons. */
  statuses: StatusMap
  /** The column that holds them; `status` unless told. */
  statusColumn?: string
  /** Statuses that only their own filter shows. */
  apart?: string[]
  /** What people can sort by, as pages call it, to the SQL of it. */
  sorts?: Record<string, string>
  /** The order of a list that nobody sorted: a key of `sorts`, `-` before it for downwards. Newest first unless told. */
  order?: string
  /** SQL of the order among equals, and of a list without another; newest first unless told. */
  ties?: string
  /** What a searched text is looked for in. */
  search?: (text: string) => Condition
  /** Further filters by their names in the address; null for a value that means nothing. */
  filters?: Record<string, (value: string) => Condition | null>
}

/** What a list's address asks for, with everything odd left out. */
export interface ListRequest {
  page: number
  length: number
  /** A status key, or empty for all. */
  status: string
  search: string
  /** As in `order`; empty for the list's own order. */
  sort: string
  filters: Record<string, string>
}

/** What pages get of a list beside its rows and statuses. */
export interface ListFacts extends ListRequest {
  /** All records that match, not only the rows sent. */
  count: number
  /** Status key to records with it, whichever status is filtered by. */
  counts: Record<string, number>
  /** Statuses that only their own filter shows. */
  apart: string[]
}

/** Reads `page, length, status, search, sort` and the list's filters; anything odd falls back to a default. */
export function listRequest(
  { request }: Pick<HttpContext, 'request'>,
  { statuses, sorts = {}, filters = {} }: ListDefinition
): ListRequest {
  const query = request.qs()
  const page = Number(query.page)
  const length = Number(query.length)
  const status = textOf(query.status)
  const sort = textOf(query.sort)
  const asked = Object.entries(filters).flatMap(([name, condition]) => {
    const value = textOf(query[name])
    return value && condition(value) ? [[name, value]] : []
  })
  return {
    page: Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1,
    length: pageSizes.includes(length) ? length : pageSizes[0],
    status: Object.hasOwn(statuses, status) ? status : '',
    search: textOf(query.search),
    sort: Object.hasOwn(sorts, keyOf(sort)) ? sort : '',
    filters: Object.fromEntries(asked),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim().slice(0, 200) : ''
}

/** `-name` and `name` as `name`. */
function keyOf(sort: string): string {
  return sort.replace(/^-/, '')
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

function anyLike(columns: string[], pattern: string): Condition {
  return {
    sql: columns.map((column) => `${column} ilike ?`).join(' or '),
    bindings: columns.map(() => pattern),
  }
}

/** One of these (columns, or SQL in brackets) begins with the text, in whichever case. */
export function begins(...columns: string[]) {
  return (text: string): Condition => anyLike(columns, `${escaped(text)}%`)
}

/** One of these (columns, or SQL in brackets) has the text in it, in whichever case. */
export function holds(...columns: string[]) {
  return (text: string): Condition => anyLike(columns, `%${escaped(text)}%`)
}

type Query =
  DatabaseQueryBuilderContract | ModelQueryBuilderContract<LucidModel, InstanceType<LucidModel>>

/**
 * One page of a list with the exact count (product, "Lists and pages"). The query holds the scope;
 * what is asked for is applied here, so that the counts of the other statuses can be told.
 */
export async function listPage<Row>(
  query: Query,
  asked: ListRequest,
  list: ListDefinition
): Promise<ListFacts & { rows: Row[] }> {
  const { statusColumn = 'status', apart = [] } = list
  // Models and tables are asked alike here; their types have no common part that can be called.
  const found = query.clone() as DatabaseQueryBuilderContract
  const narrow = ({ sql, bindings }: Condition) => found.whereRaw(`(${sql})`, bindings)
  if (asked.search && list.search) narrow(list.search(asked.search))
  for (const [name, value] of Object.entries(asked.filters)) narrow(list.filters![name](value)!)

  const known = Object.keys(list.statuses).length > 0
  const counts = await tally(found, known ? statusColumn : null)
  const all = Object.entries(counts)
    .filter(([status]) => !apart.includes(status))
    .reduce((sum, [, total]) => sum + total, 0)
  const count = asked.status ? (counts[asked.status] ?? 0) : all
  const page = Math.min(asked.page, Math.max(1, Math.ceil(count / asked.length)))
  const rows = await found
    .if(asked.status, (part) => part.where(statusColumn, asked.status))
    .if(!asked.status && apart.length, (part) => part.whereNotIn(statusColumn, apart))
    .orderByRaw(orderOf(asked, list))
    .offset((page - 1) * asked.length)
    .limit(asked.length)
  return { ...asked, page, count, counts, apart, rows: rows as Row[] }
}

/** Records by status, of a copy of the query; all of them below '' where there are no statuses. */
async function tally(query: DatabaseQueryBuilderContract, column: string | null) {
  const grouped = query.clone().clearSelect().clearOrder().count('* as total')
  if (column) grouped.select(column).groupBy(column)
  // Of a model: rows of a count are none of its records.
  if ('pojo' in grouped) (grouped as unknown as { pojo(): void }).pojo()
  const rows = (await grouped) as Record<string, unknown>[]
  return Object.fromEntries(
    rows.map((row) => [
      column ? String(row[column.split('.').pop()!] ?? '') : '',
      Number(row.total),
    ])
  )
}

function orderOf(
  { sort }: ListRequest,
  { sorts = {}, order = '', ties = 'id desc' }: ListDefinition
): string {
  const chosen = sort || order
  const direction = chosen.startsWith('-') ? 'desc' : 'asc'
  const first = chosen ? `${sorts[keyOf(chosen)]} ${direction} nulls last, ` : ''
  return `${first}${ties}`
}
