import { publish, subscribe } from '#core/live/live_events'
import { connect, withConnection, createTemporaryUser } from '#databases/mysql/connect'
import {
  type RowReaderAnswer,
  type RowReader,
  runStatement,
  callbackConnection,
} from '#databases/mysql/run_statement'
import { buildRowPageQuery, loadTableStructure, listTablesAndViews } from '#databases/mysql/tables'
import {
  type Column,
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

/** Characters of one answer; what is longer ends there. */
const MAX_RESPONSE_CHARACTERS = 4_000_000
/** Seconds for a page of a table. */
const PAGE_TIMEOUT_SECONDS = 20
/** Seconds for a file of rows, which is as long as somebody takes it. */
const DOWNLOAD_TIMEOUT_SECONDS = 600
/** Bytes that one query may take of the server's disk and memory for tables of its own. */
const MAX_TEMP_DISK_BYTES = 1024 ** 3
const MAX_SESSION_MEMORY_BYTES = 256 * 1024 ** 2
/** Seconds after which a server that did not keep to a limit itself is told to. */
const KILL_GRACE_SECONDS = 2

/** What may be run, and for how long. */
interface Bounds {
  /** Names it for `cancel`. */
  id?: string
  write: boolean
  /** Rows that are wanted; all of them unless told. */
  limit?: number
  /** Seconds. */
  timeout: number
}

export const mysqlBrowse: BrowseApi = {
  tables: (server, database) =>
    withConnection(server, {}, (connection) =>
      listTablesAndViews(callbackConnection(connection), database)
    ),

  structure: (server, database, table) =>
    withConnection(server, {}, (connection) =>
      loadTableStructure(callbackConnection(connection), database, table)
    ),

  async rows(server, database, { table, limit, page: number, after }) {
    const plan = await withConnection(server, {}, (connection) =>
      buildRowPageQuery(callbackConnection(connection), database, table, {
        limit,
        page: number,
        after,
      })
    )
    let last: RawCell[] = []
    const page = pageOf(limit, (cells) => (last = cells))
    const bounds = { write: false, timeout: PAGE_TIMEOUT_SECONDS }
    const { columns } = await run(server, database, plan.sql, bounds, page.reader)
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
    const { columns, changed, took } = await run(server, database, text, bounds, page.reader)
    const { rows, more } = page.read
    return { columns: columns.map(({ name }) => name), rows, more, changed, took }
  },

  async download(server, database, { id, text }, { columns, row }) {
    assertReadOnly(text)
    let known: Column[] = []
    const reader: RowReader = {
      columns: (names) => columns((known = names)),
      async row(cells): Promise<RowReaderAnswer> {
        await row(cells.map((cell, index) => formatFullCell(known[index], cell)))
        return 'more'
      },
    }
    await run(
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

/** Collects a page: at most so many rows and characters. */
function pageOf(limit: number, each?: (cells: RawCell[]) => void) {
  const read = { rows: [] as (string | null)[][], more: false }
  let columns: Column[] = []
  let size = 0
  const reader: RowReader = {
    columns: (names) => void (columns = names),
    row(cells) {
      // One more is asked for, to know that there is more; only what names its own number goes on.
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
 * Runs one statement by an account that was made for it and can touch this database alone, within a
 * transaction that only reads unless `write`. What is not over in time, is cancelled, or has more rows
 * than are wanted is ended on the server too.
 */
async function run(
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
      const connection = callbackConnection(await connect(server, { database, account }))
      // What breaks it between two statements is told by the next one.
      connection.on('error', () => {})
      try {
        await prepare(connection, bounds)
        ending.signal.throwIfAborted()
        const late = () => ending.abort(queryTimedOut(timeout))
        timer = setTimeout(late, (timeout + KILL_GRACE_SECONDS) * 1_000)
        const began = performance.now()
        const outcome = await runStatement(connection, sql, reader, ending.signal)
        if (outcome.isCut) await kill(server, connection)
        return { ...outcome, took: Math.round(performance.now() - began) }
      } catch (error) {
        // What the server itself said is over there.
        if ((error as { sqlMessage?: string }).sqlMessage === undefined)
          await kill(server, connection)
        throw error
      } finally {
        connection.destroy()
      }
    } finally {
      await account.drop().catch((error: Error) => {
        logger.warn({ reason: error.message }, 'an account of a query could not be taken away')
      })
    }
  } catch (error) {
    throw toStatementError(error, { sql, write, timeout })
  } finally {
    clearTimeout(timer)
    forget?.()
  }
}

/** Limits that the server itself keeps to. Each of the two servers takes the other's for a comment. */
async function prepare(connection: Connection, { write, limit, timeout }: Bounds): Promise<void> {
  const settings = [
    `lock_wait_timeout = ${timeout}`,
    `innodb_lock_wait_timeout = ${timeout}`,
    ...(limit === undefined ? [] : [`sql_select_limit = ${limit}`]),
  ].join(', ')
  const mariadb = `max_statement_time = ${timeout}, tmp_disk_table_size = ${MAX_TEMP_DISK_BYTES}, max_session_mem_used = ${MAX_SESSION_MEMORY_BYTES}`
  const mysql = `max_execution_time = ${timeout * 1_000}`
  await execute(connection, `SET SESSION ${settings} /*M! , ${mariadb} */ /*!50708 , ${mysql} */`)
  if (write) return
  await execute(connection, 'SET SESSION TRANSACTION READ ONLY')
  await execute(connection, 'START TRANSACTION READ ONLY')
}

function execute(connection: Connection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error ? reject(error) : resolve()))
  })
}

/** A connection that was left goes on with its statement until the server is told. */
async function kill(server: Server, { threadId }: Connection): Promise<void> {
  await withConnection(server, {}, (admin) => admin.query(`KILL ${threadId}`)).catch(
    (error: Error) => {
      const { errno } = (error.cause ?? error) as { errno?: number }
      // It has ended by itself.
      if (errno !== 1094) logger.warn({ reason: error.message }, 'a query could not be ended')
    }
  )
}
