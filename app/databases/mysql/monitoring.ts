import { conflict } from '#core/app_error'
import { withConnection } from '#databases/mysql/connect'
import { unwrapPromiseConnection } from '#databases/mysql/run_statement'
import { queryTextRows } from '#databases/mysql/tables'
import { groupSlowRuns } from '#databases/query/slow_statements'
import type { ServerMonitoringApi } from '#databases/servers/engine_driver'

const SLOW_QUERY_SECONDS = 1
/** Above this size, the slow query log is cleared. */
const MAX_SLOW_LOG_BYTES = 32 * 1024 ** 2
const MAX_SLOW_LOG_ROWS = 5_000
const MAX_STATEMENT_CHARACTERS = 4_000

/** Limits Berth's monitoring queries, so that they do not overload the server. */
const SET_TIMEOUTS_SQL = `set session /*M! max_statement_time = 20, */ lock_wait_timeout = 5`

/** The slow query log is written to a table, because Berth reads it through its MySQL connection. */
export const mysqlMonitoring: ServerMonitoringApi = {
  prepareAndMeasure: (server) =>
    withConnection(server, {}, async (promised) => {
      const connection = unwrapPromiseConnection(promised)
      await queryTextRows(connection, SET_TIMEOUTS_SQL)
      const [row] = await queryTextRows(
        connection,
        `select @@global.innodb_buffer_pool_size as pool, @@global.slow_query_log as slow,
           @@global.log_output as output`
      )
      // The managed server is configured by its operator, so Berth sets nothing there.
      if (server.instance) {
        if (row.slow !== '1') {
          await queryTextRows(connection, `set global long_query_time = ${SLOW_QUERY_SECONDS}`)
          await queryTextRows(connection, `set global log_output = 'TABLE'`)
          await queryTextRows(connection, 'set global slow_query_log = 1')
        } else if (row.output === 'TABLE') await keepSmall(connection)
      }
      return { pool: row.pool === null ? null : Number(row.pool) }
    }),

  listSlowQueries: (server, database) =>
    withConnection(server, {}, async (promised) => {
      const connection = unwrapPromiseConnection(promised)
      await queryTextRows(connection, SET_TIMEOUTS_SQL)
      const [on] = await queryTextRows(
        connection,
        'select @@global.slow_query_log as slow, @@global.log_output as output'
      )
      if (on.slow !== '1' || !on.output?.includes('TABLE')) {
        throw conflict(
          server.instance
            ? 'The database server does not record slow queries yet. Recording starts within one hour.'
            : 'The managed database server does not record slow queries.'
        )
      }
      const rows = await queryTextRows(
        connection,
        `select left(sql_text, ${MAX_STATEMENT_CHARACTERS}) as statement, time_to_sec(query_time) as took,
           unix_timestamp(start_time) as at
         from mysql.slow_log where db = ? order by start_time desc limit ${MAX_SLOW_LOG_ROWS}`,
        [database]
      )
      return groupSlowRuns(
        rows.map(({ statement, took, at }) => ({
          sql: statement ?? '',
          took: Number(took),
          at: new Date(Number(at) * 1_000).toISOString(),
        }))
      )
    }),

  clearSlowQueries: (server) =>
    withConnection(server, {}, async (promised) => {
      const connection = unwrapPromiseConnection(promised)
      if (!server.instance) {
        throw conflict(
          'Other customers share the managed database server, so its slow queries cannot be reset.'
        )
      }
      await queryTextRows(connection, 'truncate table mysql.slow_log')
    }),
}

async function keepSmall(connection: Parameters<typeof queryTextRows>[0]): Promise<void> {
  const [log] = await queryTextRows(
    connection,
    `select data_length as size from information_schema.tables
     where table_schema = 'mysql' and table_name = 'slow_log'`
  )
  if (Number(log?.size ?? 0) > MAX_SLOW_LOG_BYTES)
    await queryTextRows(connection, 'truncate table mysql.slow_log')
}
