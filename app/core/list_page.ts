import { type PrecountedList, findListPosition } from '#core/precounted_list'
import type { HttpContext } from '@adonisjs/core/http'
import type { DatabaseQueryBuilderContract } from '@adonisjs/lucid/types/querybuilder'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import db from '@adonisjs/lucid/services/db'

/** Page sizes that lists offer (product, "Lists and pages"). */
export const pageSizes = [50, 100, 250, 500]

/** Key of a status to its label, as every list gets it (product, "Words and statuses"). */
export type StatusLabels = Record<string, string>

/** A part of a WHERE clause. */
export interface SqlCondition {
  sql: string
  bindings: (string | number)[]
}

/** How many hits of a search are counted where a list may have any number of rows (decision 0036). */
export const MAX_HIT_COUNT = 1_000

/** What a list is told by, sorted by and searched in; all SQL in it is written by us. */
export interface ListDefinition {
  /** Status keys to labels, in the order of the filter's buttons. */
  statuses: StatusLabels
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
  search?: (text: string) => SqlCondition
  /** Further filters by their names in the address; null for a value that means nothing. */
  filters?: Record<string, (value: string) => SqlCondition | null>
  /** Of a list without end, whose rows are counted as they change: newest first unless sorted. */
  precounted?: PrecountedList
  /** Of that, which `sorts` an index goes along (of columns that are never null), equals by id in the same direction. */
  indexOrdered?: string[]
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
export interface ListMeta extends ListRequest {
  /** All records that match, not only the rows sent. */
  count: number
  /** There are more than `count`: a search of a list without end counts so many and no more. */
  more: boolean
  /** Status key to records with it, whichever status is filtered by; null where that is not known. */
  counts: Record<string, number> | null
  /** Statuses that only their own filter shows. */
  apart: string[]
}

/** Reads `page, length, status, search, sort` and the list's filters; anything odd falls back to a default. */
export function parseListRequest(
  { request }: Pick<HttpContext, 'request'>,
  { statuses, sorts = {}, filters = {} }: ListDefinition
): ListRequest {
  const query = request.qs()
  const page = Number(query.page)
  const length = Number(query.length)
  const status = textOf(query.status)
  const sort = textOf(query.sort)
  const applied = Object.entries(filters).flatMap(([name, condition]) => {
    const value = textOf(query[name])
    return value && condition(value) ? [[name, value]] : []
  })
  return {
    page: Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1,
    length: pageSizes.includes(length) ? length : pageSizes[0],
    status: Object.hasOwn(statuses, status) ? status : '',
    search: textOf(query.search),
    sort: Object.hasOwn(sorts, sortKey(sort)) ? sort : '',
    filters: Object.fromEntries(applied),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim().slice(0, 200) : ''
}

/** `-name` and `name` as `name`. */
function sortKey(sort: string): string {
  return sort.replace(/^-/, '')
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

const eachColumn = (
  columns: string[],
  sql: (column: string) => string,
  pattern: string
): SqlCondition => ({
  sql: columns.map(sql).join(' or '),
  bindings: columns.map(() => pattern),
})

/** One of these (columns, or SQL in brackets) begins with the text, in whichever case. */
export function startsWith(...columns: string[]) {
  // So that an index of small letters answers it.
  const like = (column: string) => `lower(${column}) like lower(?)`
  return (text: string): SqlCondition => eachColumn(columns, like, `${escapeLike(text)}%`)
}

/** One of these (columns, or SQL in brackets) has the text in it, in whichever case. */
export function contains(...columns: string[]) {
  return (text: string): SqlCondition =>
    eachColumn(columns, (one) => `${one} ilike ?`, `%${escapeLike(text)}%`)
}

/** As `contains`; what is shorter than the index of parts knows is looked for at beginnings only. */
export function containsOrStartsWith(...columns: string[]) {
  return (text: string): SqlCondition =>
    text.length < 3
      ? eachColumn(columns, (one) => `${one} ilike ?`, `${escapeLike(text)}%`)
      : contains(...columns)(text)
}

/** Any of these conditions. */
export function anyOf(...conditions: ((text: string) => SqlCondition | null)[]) {
  return (text: string): SqlCondition => {
    const applied = conditions.flatMap((condition) => condition(text) ?? [])
    return {
      sql: applied.map(({ sql }) => sql).join(' or '),
      bindings: applied.flatMap(({ bindings }) => bindings),
    }
  }
}

/** A column has one of those that are found by `select`; they are asked for once, and found by its index. */
export function whereInSubquery(column: string, select: (text: string) => SqlCondition) {
  return (text: string): SqlCondition => {
    const { sql, bindings } = select(text)
    return { sql: `${column} = any(array(${sql}))`, bindings }
  }
}

type Query =
  DatabaseQueryBuilderContract | ModelQueryBuilderContract<LucidModel, InstanceType<LucidModel>>

/**
 * One page of a list with the exact count (product, "Lists and pages"). The query holds the scope;
 * what is asked for is applied here, so that the counts of the other statuses can be told.
 */
export async function queryListPage<Row>(
  query: Query,
  request: ListRequest,
  list: ListDefinition
): Promise<ListMeta & { rows: Row[] }> {
  const { statusColumn = 'status', apart = [] } = list
  // Models and tables are asked alike here; their types have no common part that can be called.
  const matching = query.clone() as DatabaseQueryBuilderContract
  const narrow = ({ sql, bindings }: SqlCondition) => matching.whereRaw(`(${sql})`, bindings)
  if (request.search && list.search) narrow(list.search(request.search))
  for (const [name, value] of Object.entries(request.filters)) narrow(list.filters![name](value)!)

  const onlyWanted = (part: DatabaseQueryBuilderContract) =>
    part
      .if(request.status, (one) => one.where(statusColumn, request.status))
      .if(!request.status && apart.length, (one) => one.whereNotIn(statusColumn, apart))
  const countsFor = (counts: ListCounts) => {
    const count = counts.count ?? shownCount(counts.counts!, request.status, apart)
    const page = Math.min(request.page, Math.max(1, Math.ceil(count / request.length)))
    return { ...request, page, count, more: counts.more ?? false, counts: counts.counts, apart }
  }
  const searched = request.search !== '' || Object.keys(request.filters).length > 0
  const position =
    list.precounted && !searched ? await findPosition(list, list.precounted, request) : null
  const tallied: ListCounts =
    position ??
    (list.precounted
      ? await countHits(matching, statusColumn, request.status || apart.length ? onlyWanted : null)
      : await countByStatus(matching, Object.keys(list.statuses).length > 0 ? statusColumn : null))
  const totals = countsFor(tallied)
  const walk = position && !position.from ? planIndexScan(totals, list) : null
  const ids = walk ? await fetchIndexOrdered(onlyWanted(matching.clone()), walk) : tallied.ids
  const rows = await onlyWanted(matching)
    .if(ids, (part) => part.whereIn('id', ids!))
    .if(position?.from, (part) => part.where('id', ...position!.from!))
    .orderByRaw(orderByClause(request, list))
    .offset(walk ? 0 : (position?.rest ?? (totals.page - 1) * request.length))
    .limit(request.length)
  return { ...totals, rows: rows as Row[] }
}

interface IndexScan {
  order: string
  offset: number
  limit: number
}

/** The ids of a page, by the index alone. */
async function fetchIndexOrdered(
  query: DatabaseQueryBuilderContract,
  { order, offset, limit }: IndexScan
) {
  const ids = query.clearSelect().select('id').orderByRaw(order).offset(offset).limit(limit)
  return ((await ids) as { id: string }[]).map(({ id }) => id)
}

/** How far an index is gone along to a page, and from its nearer end; null where none has the order. */
function planIndexScan(
  { page, length, count, sort }: ListMeta,
  { sorts = {}, indexOrdered = [] }: ListDefinition
) {
  if (!indexOrdered.includes(sortKey(sort)) || count === 0) return null
  const before = (page - 1) * length
  const limit = Math.min(length, count - before)
  const after = count - before - limit
  const isBackwards = after < before
  const direction = sort.startsWith('-') === isBackwards ? 'asc' : 'desc'
  const order = `${sorts[sortKey(sort)]} ${direction}, id ${direction}`
  return { order, offset: isBackwards ? after : before, limit }
}

/** What was counted: by status where that is known, else all that match. */
interface ListCounts {
  counts: Record<string, number> | null
  count?: number
  more?: boolean
  /** All that match, where they were found at once. */
  ids?: string[]
}

/** Those that a list shows which is filtered by this status, or by none. */
function shownCount(counts: Record<string, number>, status: string, apart: string[]): number {
  if (status) return counts[status] ?? 0
  return Object.entries(counts)
    .filter(([key]) => !apart.includes(key))
    .reduce((sum, [, total]) => sum + total, 0)
}

/** The counts of a list that is counted as it changes, and in the order of ids where its page begins. */
async function findPosition(
  { statuses, apart = [], order, ties }: ListDefinition,
  precounted: PrecountedList,
  request: ListRequest
) {
  const wanted = Object.keys(statuses).filter((key) => !apart.includes(key))
  const isUpwards = request.sort === 'id'
  const position = await findListPosition(
    precounted,
    request.status ? [request.status] : wanted,
    request,
    isUpwards
  )
  const isInOrder = !order && !ties && ['', 'id', '-id'].includes(request.sort)
  if (!isInOrder || position.bound === null) return { counts: position.counts }
  return {
    counts: position.counts,
    from: [isUpwards ? '>=' : '<=', position.bound] as const,
    rest: position.rest,
  }
}

/**
 * The hits of a search by status, as far as they are counted. Which of them come first is not asked, so
 * that the database goes by the index of what is searched and stops at the last one that counts.
 */
async function countHits(
  matching: DatabaseQueryBuilderContract,
  column: string,
  narrow: ((part: DatabaseQueryBuilderContract) => DatabaseQueryBuilderContract) | null
): Promise<ListCounts> {
  const hits = await countHitsByStatus(matching, column)
  if (hits.length <= MAX_HIT_COUNT) {
    const counts: Record<string, number> = {}
    for (const { status } of hits) counts[status] = (counts[status] ?? 0) + 1
    return { counts, ids: hits.map(({ id }) => id) }
  }
  const of = narrow ? await countHitsByStatus(narrow(matching.clone()), column) : hits
  const more = of.length > MAX_HIT_COUNT
  const ids = more ? {} : { ids: of.map(({ id }) => id) }
  return { counts: null, count: Math.min(of.length, MAX_HIT_COUNT), more, ...ids }
}

async function countHitsByStatus(matching: DatabaseQueryBuilderContract, column: string) {
  const hits = matching.clone().clearSelect().clearOrder().select('id', `${column} as status`)
  const { sql, bindings } = hits.toSQL()
  // Materialized, it is planned as if all were wanted, and yet only read as far as the limit says.
  const { rows } = await db.rawQuery(
    `with hits as materialized (${sql}) select id, status from hits limit ${MAX_HIT_COUNT + 1}`,
    bindings as string[]
  )
  return rows as { id: string; status: string }[]
}

/** Records by status, of a copy of the query; all of them below '' where there are no statuses. */
async function countByStatus(
  query: DatabaseQueryBuilderContract,
  column: string | null
): Promise<ListCounts> {
  const grouped = query.clone().clearSelect().clearOrder().count('* as total')
  if (column) grouped.select(column).groupBy(column)
  // Of a model: rows of a count are none of its records.
  if ('pojo' in grouped) (grouped as unknown as { pojo(): void }).pojo()
  const rows = (await grouped) as Record<string, unknown>[]
  const keyOfRow = (row: Record<string, unknown>) =>
    column ? String(row[column.split('.').pop()!] ?? '') : ''
  return { counts: Object.fromEntries(rows.map((row) => [keyOfRow(row), Number(row.total)])) }
}

function orderByClause(
  { sort }: ListRequest,
  { sorts = {}, order = '', ties = 'id desc', indexOrdered = [] }: ListDefinition
): string {
  const sortColumn = sort || order
  const direction = sortColumn.startsWith('-') ? 'desc' : 'asc'
  if (indexOrdered.includes(sortKey(sortColumn)))
    return `${sorts[sortKey(sortColumn)]} ${direction}, id ${direction}`
  const first = sortColumn ? `${sorts[sortKey(sortColumn)]} ${direction} nulls last, ` : ''
  return `${first}${ties}`
}
