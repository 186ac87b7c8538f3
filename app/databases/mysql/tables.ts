import { notFound, AppError } from '#core/app_error'
import type { QueryColumn, RawCell } from '#databases/query/cell_format'
import type { TableStructure, TableSummary } from '#databases/transformers/page_props'
import mysql, { type Connection, type RowDataPacket } from 'mysql2'

const { escapeId } = mysql

/**
 * Without a usable key, pages are read by offset, which gets slower with each page. Pages that would start at this
 * offset or later are not shown.
 */
export const MAX_OFFSET_ROWS = 10_000

/** Rows and sizes are the server's estimates, and null for views. */
export async function listTablesAndViews(
  connection: Connection,
  database: string
): Promise<TableSummary[]> {
  const rows = await queryTextRows(
    connection,
    `select table_name as name, table_type as type, table_rows as estimate,
       data_length + index_length as bytes
     from information_schema.tables
     where table_schema = ? and table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
     order by table_name`,
    [database]
  )
  return rows.map(({ name, type, estimate, bytes }) => ({
    name: name!,
    type: type === 'VIEW' ? ('view' as const) : ('table' as const),
    rows: type === 'VIEW' ? null : numberOf(estimate),
    size_bytes: type === 'VIEW' ? null : numberOf(bytes),
  }))
}

/** @throws 404 if the table does not exist */
export async function loadTableStructure(
  connection: Connection,
  database: string,
  table: string
): Promise<TableStructure> {
  const qualifiedName = [database, await nameOf(connection, database, table)]
  const columns = await queryTextRows(
    connection,
    `select column_name as name, column_type as type, is_nullable as nullable, column_key as \`key\`,
       column_default as \`default\`, extra as extra
     from information_schema.columns where table_schema = ? and table_name = ?
     order by ordinal_position`,
    qualifiedName
  )
  const parts = await queryTextRows(
    connection,
    `select index_name as name, column_name as part, non_unique as again, sub_part as length
     from information_schema.statistics where table_schema = ? and table_name = ?
     order by index_name = 'PRIMARY' desc, index_name, seq_in_index`,
    qualifiedName
  )
  const indexes = new Map<string, TableStructure['indexes'][number]>()
  for (const { name, part, again, length } of parts) {
    const index = indexes.get(name!) ?? { name: name!, columns: [], unique: again === '0' }
    index.columns.push(`${part ?? '(expression)'}${length === null ? '' : `(${length})`}`)
    indexes.set(name!, index)
  }
  return {
    columns: columns.map(({ name, type, nullable, key, default: preset, extra }) => ({
      name: name!,
      type: type!,
      nullable: nullable === 'YES',
      key: key ?? '',
      default: preset,
      extra: extra ?? '',
    })),
    indexes: [...indexes.values()],
  }
}

export interface RowPageQuery {
  sql: string
  /** Null: there is no next page. */
  next(columns: QueryColumn[], last: RawCell[], read: number): string | null
  /** Pages are read by offset, up to `MAX_OFFSET_ROWS`, instead of by a cursor. */
  isCounted: boolean
}

type Mark = { key: string[] } | { from: number }

/**
 * Builds the query for one page of a table or view. If the values of the primary key compare in their sort order,
 * pages by key, so that the last page is as fast as the first. Otherwise pages by offset. Takes the table name from
 * the server, never from the request.
 * @param after cursor from `next`; if it is absent or cannot be decoded, `page` gives the offset
 * @throws 404 if the table does not exist, 422 for an offset of `MAX_OFFSET_ROWS` or more
 */
export async function buildRowPageQuery(
  connection: Connection,
  database: string,
  table: string,
  { limit, page, after }: { limit: number; page: number; after?: string }
): Promise<RowPageQuery> {
  const name = await nameOf(connection, database, table)
  const from = `select * from ${escapeId(database, true)}.${escapeId(name, true)}`
  const mark = after ? decodeCursor(after) : null
  const key = await keyOf(connection, database, name)
  const skipped = mark && 'from' in mark ? mark.from : mark ? 0 : (page - 1) * limit
  if (skipped >= MAX_OFFSET_ROWS) throw tooFar()
  const limitClause = ` limit ${limit + 1} offset ${skipped}`
  if (!key) {
    return {
      sql: `${from}${limitClause}`,
      next: (_columns, _last, read) =>
        skipped + read >= MAX_OFFSET_ROWS ? null : encodeCursor({ from: skipped + read }),
      isCounted: true,
    }
  }
  const order = key.map((part) => escapeId(part.name, true)).join(', ')
  const values = mark && 'key' in mark && mark.key.length === key.length ? mark.key : null
  const where = values ? ` where ${rowsAfterCondition(key, values)}` : ''
  return {
    sql: `${from}${where} order by ${order}${values ? ` limit ${limit + 1}` : limitClause}`,
    next(columns, last) {
      const positions = key.map((part) => {
        const position = columns.findIndex(({ name }) => name === part.name)
        return last[position] ?? null
      })
      if (positions.some((value) => value === null)) return null
      const isBinary = (index: number) => key[index].kind === 'binary'
      return encodeCursor({
        key: positions.map((value, index) => value!.toString(isBinary(index) ? 'hex' : 'utf8')),
      })
    },
    isCounted: false,
  }
}

function tooFar(): AppError {
  const message = `This page shows only the first ${MAX_OFFSET_ROWS.toLocaleString('en')} rows. Use a query to see later rows.`
  return new AppError('too_far', 422, message)
}

interface KeyPart {
  name: string
  kind: 'number' | 'text' | 'binary'
}

const COMPARABLE_TYPES: Record<string, KeyPart['kind']> = {
  tinyint: 'number',
  smallint: 'number',
  mediumint: 'number',
  int: 'number',
  bigint: 'number',
  decimal: 'number',
  year: 'number',
  date: 'text',
  datetime: 'text',
  timestamp: 'text',
  time: 'text',
  char: 'text',
  varchar: 'text',
  binary: 'binary',
  varbinary: 'binary',
}

/**
 * Returns the primary key. Null: there is none, or a column's type is not in `COMPARABLE_TYPES`. Floats, for
 * example, are inexact, and ENUM values compare in another order than they sort.
 */
async function keyOf(
  connection: Connection,
  database: string,
  table: string
): Promise<KeyPart[] | null> {
  const parts = await queryTextRows(
    connection,
    `select k.column_name as name, c.data_type as type
     from information_schema.statistics k
     join information_schema.columns c using (table_schema, table_name, column_name)
     where table_schema = ? and table_name = ? and index_name = 'PRIMARY' order by seq_in_index`,
    [database, table]
  )
  if (parts.length === 0) return null
  const key = parts.map(({ name, type }) => ({
    name: name!,
    kind: COMPARABLE_TYPES[type!.toLowerCase()],
  }))
  return key.every(({ kind }) => kind !== undefined) ? key : null
}

/** Builds `a > 1 or (a = 1 and b > 2)`. */
function rowsAfterCondition(key: KeyPart[], values: string[]): string {
  const literals = values.map((value, index) => sqlLiteral(key[index].kind, value))
  const cases = key.map((_part, depth) => {
    const same = key
      .slice(0, depth)
      .map((part, index) => `${escapeId(part.name, true)} = ${literals[index]}`)
    return `(${[...same, `${escapeId(key[depth].name, true)} > ${literals[depth]}`].join(' and ')})`
  })
  return cases.join(' or ')
}

/** Leaves numbers unquoted: MySQL compares a string with a number as floating point, which is inexact. */
function sqlLiteral(kind: KeyPart['kind'], value: string): string {
  if (kind === 'number') return /^-?\d{1,65}(\.\d{1,65})?$/.test(value) ? value : '0'
  if (kind === 'binary') return /^([0-9a-f]{2})*$/.test(value) ? `x'${value}'` : `x''`
  return textLiteral(value)
}

/** Writes text as hexadecimal bytes, because sql_mode decides whether a backslash escapes. */
function textLiteral(text: string): string {
  return `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`
}

function encodeCursor(mark: Mark): string {
  return Buffer.from(JSON.stringify(mark)).toString('base64url')
}

function decodeCursor(text: string): Mark | null {
  try {
    const { key, from } = JSON.parse(Buffer.from(text, 'base64url').toString()) as {
      key?: unknown
      from?: unknown
    }
    if (Array.isArray(key) && key.every((value) => typeof value === 'string')) return { key }
    if (Number.isSafeInteger(from)) {
      return { from: Math.min(Math.max(0, from as number), MAX_OFFSET_ROWS) }
    }
  } catch {}
  return null
}

/**
 * Returns the name in the server's spelling.
 * @throws 404 if there is no such table
 */
async function nameOf(connection: Connection, database: string, table: string): Promise<string> {
  const [row] = await queryTextRows(
    connection,
    `select table_name as name from information_schema.tables
     where table_schema = ? and table_name = ? order by binary table_name = ? desc limit 1`,
    [database, table, table]
  )
  if (!row?.name) throw notFound('table')
  return row.name
}

/** For Berth's own queries. `values` replace each `?` in order. The result contains all values as text. */
export function queryTextRows(
  connection: Connection,
  sql: string,
  values: string[] = []
): Promise<Record<string, string | null>[]> {
  let position = 0
  const written = sql.replace(/\?/g, () => textLiteral(values[position++]!))
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, rows: RowDataPacket[], fields: { name: string }[]) => {
      if (error) return reject(error)
      if (!Array.isArray(rows)) return resolve([])
      resolve(
        rows.map((row) =>
          Object.fromEntries(
            fields.map(({ name }, index) => [
              name,
              (row[index] as RawCell)?.toString('utf8') ?? null,
            ])
          )
        )
      )
    }
    connection.query<RowDataPacket[]>({ sql: written, rowsAsArray: true, typeCast: false }, done)
  })
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text)
}
