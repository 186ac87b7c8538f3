import { publish, subscribe } from '#core/live/live_events'
import { connectToMysql, withConnection, createTemporaryUser } from '#databases/mysql/connect'
import {
  type RowReaderAnswer,
  type RowReader,
  runStatement,
  unwrapPromiseConnection,
} from '#databases/mysql/run_statement'
import { buildRowPageQuery, loadTableStructure, listTablesAndViews } from '#databases/mysql/tables'
import {
  type QueryColumn,
  type RawCell,
  formatShortenedCell,
  formatFullCell,
} from '#databases/query/cell_format'
import { queryCancelled, toStatementError, queryTimedOut } from '#databases/query/statement_errors'
import { assertCreatesNoDefinerObject, assertReadOnly } from '#databases/query/read_only'
import type { BrowseApi } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import logger from '@adonisjs/core/services/logger'
import type { Connection } from 'mysql2'

const MAX_RESPONSE_CHARACTERS = 4_000_000
const PAGE_TIMEOUT_SECONDS = 20
/** Long, because the client may read a download slowly. */
const DOWNLOAD_TIMEOUT_SECONDS = 600
const MAX_TEMP_DISK_BYTES = 1024 ** 3
const MAX_SESSION_MEMORY_BYTES = 256 * 1024 ** 2
/** If a query still runs this long after its own timeout, Berth kills it. */
const KILL_GRACE_SECONDS = 2

interface Bounds {
  id?: string
  write: boolean
  /** Maximum number of rows. Default: unlimited. */
  limit?: number
  /** In seconds. */
  timeout: number
}

export const mysqlBrowse: BrowseApi = {
  tables: (server, database) =>
    withConnection(server, {}, (connection) =>
      listTablesAndViews(unwrapPromiseConnection(connection), database)
    ),

  structure: (server, database, table) =>
    withConnection(server, {}, (connection) =>
      loadTableStructure(unwrapPromiseConnection(connection), database, table)
    ),

  async rows(server, database, { table, limit, page: number, after }) {
    const plan = await withConnection(server, {}, (connection) =>
      buildRowPageQuery(unwrapPromiseConnection(connection), database, table, {
        limit,
        page: number,
        after,
      })
    )
    let last: RawCell[] = []
    const page = pageOf(limit, (cells) => (last = cells))
    const bounds = { write: false, timeout: PAGE_TIMEOUT_SECONDS }
    const { columns } = await runAsTemporaryUser(server, database, plan.sql, bounds, page.reader)
    const { rows, more } = page.read
    return {
      columns: columns.map(({ name }) => name),
      rows,
      more,
      next: more ? plan.next(columns, last, rows.length) : null,
      isCounted: plan.isCounted,
    }
  },

  async query(server, database, { id, text, write, limit, timeout }) {
    if (write) assertCreatesNoDefinerObject(text)
    else assertReadOnly(text)
    const page = pageOf(limit)
    const bounds = { id, write, limit: write ? undefined : limit + 1, timeout }
    const { columns, changed, took } = await runAsTemporaryUser(
      server,
      database,
      text,
      bounds,
      page.reader
    )
    const { rows, more } = page.read
    return { columns: columns.map(({ name }) => name), rows, more, changed, took }
  },

  async download(server, database, { id, text }, { columns, row }) {
    assertReadOnly(text)
    let known: QueryColumn[] = []
    const reader: RowReader = {
      columns: (names) => columns((known = names)),
      async row(cells): Promise<RowReaderAnswer> {
        await row(cells.map((cell, index) => formatFullCell(known[index], cell)))
        return 'more'
      },
    }
    await runAsTemporaryUser(
      server,
      database,
      text,
      { id, write: false, timeout: DOWNLOAD_TIMEOUT_SECONDS },
      reader
    )
  },

  async cancel(_server, _database, id) {
    await publish(topicOf(id))
  },
}

const topicOf = (id: string) => `query:${id}`

function pageOf(limit: number, each?: (cells: RawCell[]) => void) {
  const read = { rows: [] as (string | null)[][], more: false }
  let columns: QueryColumn[] = []
  let size = 0
  const reader: RowReader = {
    columns: (names) => void (columns = names),
    row(cells) {
      // The previous row was already beyond the limit, so the reader knows that there are more.
      if (read.more) return 'enough'
      if (read.rows.length === limit || size > MAX_RESPONSE_CHARACTERS) {
        read.more = true
        return size > MAX_RESPONSE_CHARACTERS ? 'enough' : 'more'
      }
      const shown = cells.map((cell, index) => formatShortenedCell(columns[index], cell))
      for (const cell of shown) size += (cell?.length ?? 0) + 8
      read.rows.push(shown)
      each?.(cells)
      return 'more'
    },
  }
  return { read, reader }
}

/**
 * Runs a statement as a temporary user with rights on this database only. The transaction is read-only unless
 * `write`. Kills the statement after a timeout or cancellation, or when the reader has enough rows.
 */
async function runAsTemporaryUser(
  server: Server,
  database: string,
  sql: string,
  bounds: Bounds,
  reader: RowReader
) {
  const { id, write, timeout } = bounds
  const ending = new AbortController()
  const end = () => ending.abort(queryCancelled())
  const forget = id ? await subscribe(topicOf(id), end) : undefined
  let timer: NodeJS.Timeout | undefined
  try {
    const account = await createTemporaryUser(server, database, write ? 'all' : 'read')
    try {
      const connection = unwrapPromiseConnection(
        await connectToMysql(server, { database, account })
      )
      // Without a listener, a lost connection would crash the process.
      connection.on('error', () => {})
      try {
        const late = () => ending.abort(queryTimedOut(timeout))
        timer = setTimeout(late, (timeout + KILL_GRACE_SECONDS) * 1_000)
        await prepareSession(connection, bounds, ending.signal)
        ending.signal.throwIfAborted()
        const began = performance.now()
        const outcome = await runStatement(connection, sql, reader, ending.signal)
        if (outcome.isCut) await killStatement(server, connection)
        return { ...outcome, took: Math.round(performance.now() - began) }
      } catch (error) {
        if ((error as { sqlMessage?: string }).sqlMessage === undefined)
          await killStatement(server, connection)
        throw error
      } finally {
        connection.destroy()
      }
    } finally {
      await account.drop().catch((error: Error) => {
        logger.warn({ reason: error.message }, 'the temporary user of a query could not be dropped')
      })
    }
  } catch (error) {
    throw toStatementError(error, { sql, write, timeout })
  } finally {
    clearTimeout(timer)
    forget?.()
  }
}

/** Sets limits that the server enforces. MariaDB and MySQL each treat the other's settings as a comment. */
async function prepareSession(
  connection: Connection,
  { write, limit, timeout }: Bounds,
  signal: AbortSignal
): Promise<void> {
  // The server can be hostile, so its responses to these statements are limited like those to the customer's
  // statement.
  const execute = (sql: string) => runStatement(connection, sql, { row: () => 'enough' }, signal)
  const settings = [
    `lock_wait_timeout = ${timeout}`,
    `innodb_lock_wait_timeout = ${timeout}`,
    ...(limit === undefined ? [] : [`sql_select_limit = ${limit}`]),
  ].join(', ')
  const mariadb = `max_statement_time = ${timeout}, tmp_disk_table_size = ${MAX_TEMP_DISK_BYTES}, max_session_mem_used = ${MAX_SESSION_MEMORY_BYTES}`
  const mysql = `max_execution_time = ${timeout * 1_000}`
  await execute(`SET SESSION ${settings} /*M! , ${mariadb} */ /*!50708 , ${mysql} */`)
  if (write) return
  await execute('SET SESSION TRANSACTION READ ONLY')
  await execute('START TRANSACTION READ ONLY')
}

/** The server would continue the statement after the connection closes. */
async function killStatement(server: Server, { threadId }: Connection): Promise<void> {
  await withConnection(server, {}, (admin) => admin.query(`KILL ${threadId}`)).catch(
    (error: Error) => {
      const { errno } = (error.cause ?? error) as { errno?: number }
      // Error 1094 means that the statement has already ended.
      if (errno !== 1094) logger.warn({ reason: error.message }, 'a query could not be killed')
    }
  )
}
