import { type PrecountedList, findListPosition } from '#core/precounted_list'
import type { HttpContext } from '@adonisjs/core/http'
import type { DatabaseQueryBuilderContract } from '@adonisjs/lucid/types/querybuilder'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import db from '@adonisjs/lucid/services/db'

export const pageSizes = [50, 100, 250, 500]

/** Labels by status key (docs/product.md, "Words and statuses"). */
export type StatusLabels = Record<string, string>

export interface SqlCondition {
  sql: string
  bindings: (string | number)[]
}

/** In a precounted list, a search counts no more matches than this (decision 0036). */
export const MAX_HIT_COUNT = 1_000

/** All SQL is from our code, never from user input. */
export interface ListDefinition {
  statuses: StatusLabels
  statusColumn?: string
  apart?: string[]
  sorts?: Record<string, string>
  /** Default sort: a key of `sorts`, `-` for descending. Without a default: newest first. */
  order?: string
  /** SQL order of rows with the same sort value. Default: newest first. */
  ties?: string
  search?: (text: string) => SqlCondition
  /** SQL conditions by query parameter. A function returns `null` for an invalid value. */
  filters?: Record<string, (value: string) => SqlCondition | null>
  /** Set for lists that can grow without limit. A database trigger counts their rows. */
  precounted?: PrecountedList
  /**
   * Keys of `sorts` that have an index. The index columns must be NOT NULL and end with the id in the same
   * direction.
   */
  indexOrdered?: string[]
}

export interface ListRequest {
  page: number
  length: number
  /** Empty: all statuses. */
  status: string
  search: string
  /** A key of `sorts`, `-` for descending. Empty: default. */
  sort: string
  filters: Record<string, string>
}

export interface ListMeta extends ListRequest {
  /** Number of matching records on all pages. */
  count: number
  /** The search counts only `MAX_HIT_COUNT` matches, and there are more. */
  more: boolean
  /** Number of records per status, ignoring the status filter. `null`: not counted. */
  counts: Record<string, number> | null
  /** Statuses that the list shows only if a person filters by them. */
  apart: string[]
}

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

/** Matches the start of a column, without regard to case. Columns may be SQL expressions in parentheses. */
export function startsWith(...columns: string[]) {
  const like = (column: string) => `lower(${column}) like lower(?)`
  return (text: string): SqlCondition => eachColumn(columns, like, `${escapeLike(text)}%`)
}

export function searchAnywhereIn(...columns: string[]) {
  return (text: string): SqlCondition =>
    eachColumn(columns, (one) => `${one} ilike ?`, `%${escapeLike(text)}%`)
}

/**
 * Matches text anywhere in a column. A text under three characters is only searched at the start, because the
 * trigram index cannot find it.
 */
export function containsOrStartsWith(...columns: string[]) {
  return (text: string): SqlCondition =>
    text.length < 3
      ? eachColumn(columns, (one) => `${one} ilike ?`, `${escapeLike(text)}%`)
      : searchAnywhereIn(...columns)(text)
}

/** Combines conditions with OR. Ignores those that are `null`. */
export function anyOf(...conditions: ((text: string) => SqlCondition | null)[]) {
  return (text: string): SqlCondition => {
    const applied = conditions.flatMap((condition) => condition(text) ?? [])
    return {
      sql: applied.map(({ sql }) => sql).join(' or '),
      bindings: applied.flatMap(({ bindings }) => bindings),
    }
  }
}

/**
 * Matches rows whose `column` is in the result of a subquery. The subquery runs once, and the column's index finds
 * the rows.
 */
export function whereInSubquery(column: string, select: (text: string) => SqlCondition) {
  return (text: string): SqlCondition => {
    const { sql, bindings } = select(text)
    return { sql: `${column} = any(array(${sql}))`, bindings }
  }
}

type Query =
  | DatabaseQueryBuilderContract
  | ModelQueryBuilderContract<LucidModel, InstanceType<LucidModel>>

/**
 * Returns one page of a list (docs/product.md, "Lists and pages"). `query` must already exclude rows that the
 * person may not see. It must not filter by status, because all statuses are counted.
 */
export async function queryListPage<Row>(
  query: Query,
  request: ListRequest,
  list: ListDefinition
): Promise<ListMeta & { rows: Row[] }> {
  const { statusColumn = 'status', apart = [] } = list
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

async function fetchIndexOrdered(
  query: DatabaseQueryBuilderContract,
  { order, offset, limit }: IndexScan
) {
  const ids = query.clearSelect().select('id').orderByRaw(order).offset(offset).limit(limit)
  return ((await ids) as { id: string }[]).map(({ id }) => id)
}

/** Scan from the nearer end of the list. Returns `null` if the sort order has no index or no row matches. */
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

interface ListCounts {
  counts: Record<string, number> | null
  count?: number
  more?: boolean
  ids?: string[]
}

function shownCount(counts: Record<string, number>, status: string, apart: string[]): number {
  if (status) return counts[status] ?? 0
  return Object.entries(counts)
    .filter(([key]) => !apart.includes(key))
    .reduce((sum, [, total]) => sum + total, 0)
}

/**
 * Reads the stored counts. For lists sorted by id, also returns the id at which the scan starts, and the number of
 * rows to skip from there to the page.
 */
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
 * Counts at most `MAX_HIT_COUNT` matches. Without ORDER BY, PostgreSQL uses the search index and stops at
 * the limit.
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
  // Without `materialized`, PostgreSQL would plan for the limit's few rows and could choose a slow scan. Execution
  // still stops at the limit.
  const { rows } = await db.rawQuery(
    `with hits as materialized (${sql}) select id, status from hits limit ${MAX_HIT_COUNT + 1}`,
    bindings as string[]
  )
  return rows as { id: string; status: string }[]
}

async function countByStatus(
  query: DatabaseQueryBuilderContract,
  column: string | null
): Promise<ListCounts> {
  const grouped = query.clone().clearSelect().clearOrder().count('* as total')
  if (column) grouped.select(column).groupBy(column)
  // On a model query, `pojo` makes the counts plain objects instead of model instances.
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
