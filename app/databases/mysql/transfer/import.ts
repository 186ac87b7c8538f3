import { RetryLater } from '#core/operations/operations'
import { invalidDump, runDumpImport } from '#databases/mysql/transfer/run_dump_import'
import {
  selectRows,
  countDatabaseContents,
  loadServerCapabilities,
  countDatabaseObjects,
} from '#databases/mysql/transfer/database_contents'
import type { FilterReport } from '#databases/mysql/transfer/sql_filter'
import { buildImportNotes } from '#databases/mysql/transfer/import_notes'
import { shortDatabaseKey, DefinerUser } from '#databases/mysql/transfer/definer_user'
import { planSwap, runSwap, type DatabaseSwap } from '#databases/mysql/transfer/swap_databases'
import { assertTablesUnchanged } from '#databases/mysql/transfer/table_states'
import { LONG_QUERY_TIMEOUT_MS, withConnection } from '#databases/mysql/connect'
import { quoteName } from '#databases/mysql/sql_quoting'
import { databaseOperationFailed } from '#databases/errors'
import { RESERVED_NAME_PREFIX } from '#databases/names'
import type { TransferApi } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import { randomBytes } from 'node:crypto'

/**
 * Prefix of the database that an import fills. Below: prefix of the database that holds the old tables during the
 * swap.
 */
const SHADOW_PREFIX = `${RESERVED_NAME_PREFIX}in_`
const ASIDE_PREFIX = `${RESERVED_NAME_PREFIX}old_`

type ImportRequest = Parameters<TransferApi['import']>[2]

/**
 * Imports a dump into a new database, and then swaps the contents of both databases. The dump is imported by a user
 * without access to any third database. Before the swap, the existing data is unchanged. If the worker is killed
 * during the swap, the next run of the step resumes it.
 */
export async function importDump(server: Server, database: string, request: ImportRequest) {
  const journal = (swap: DatabaseSwap | null) => request.saveValue('swap', swap)
  let swap = request.memory.swap as DatabaseSwap | null | undefined
  let report = request.memory.report as FilterReport | undefined
  let own: DefinerUser | null = null
  try {
    if (!swap) {
      const names = namesOf(server, database)
      await dropEarlierImportDatabases(server, database)
      const filled = await fillShadowDatabase(server, database, names, request)
      own = filled.own
      report = filled.report
      await request.saveValue('report', report)
      await request.report('Moving the new tables into place')
      const planned = await planSwap(server, { database, ...names })
      if (request.merge && request.statesBefore) {
        planned.merged = await assertTablesUnchanged(server, database, request.statesBefore)
      }
      swap = planned
      await request.commitPoint()
      await own.grantDatabaseAccess()
      await journal(swap)
    } else {
      await request.report('Moving the new tables into place')
      own = await reopenDefinerUser(server, database, swap.shadow)
      await own.grantDatabaseAccess()
    }
    const missing = await runSwap(server, database, swap, journal, own)
    await own.close(swap.shadow).catch(() => {})
    return {
      contents: await countDatabaseContents(server, database),
      notes: [...buildImportNotes(report), ...missing],
    }
  } catch (error) {
    if (error instanceof RetryLater) throw error
    // An interrupted swap must resume. That is possible when the server responds again.
    if (swap && isDown(error)) throw retryWhenServerResponds()
    if (swap?.stage === 'begun') await journal(null)
    await own?.close(swap?.shadow ?? '').catch(() => {})
    if (swap?.isStranded) throw strandedTablesError(swap, error)
    if (swap && swap.stage !== 'begun') throw incompleteSwapError(swap, error)
    // If the server does not respond, the next import drops these databases.
    await dropEarlierImportDatabases(server, database).catch(() => {})
    throw error
  }
}

async function fillShadowDatabase(
  server: Server,
  database: string,
  names: { shadow: string },
  { file, merge, acceptsMissingEnd, base, report, signal }: ImportRequest
) {
  const { collations, maxPacket, ignoresCase } = await loadServerCapabilities(server)
  const common = { collations, maxPacket, ignoresCase, report, signal }
  await withConnection(server, { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS }, async (connection) => {
    // When a backup is restored into a new database, that database does not exist yet.
    await connection.query(
      `CREATE DATABASE IF NOT EXISTS ${quoteName(database)} CHARACTER SET utf8mb4`
    )
    const [like] = await selectRows<{ charset: string; collation: string }>(
      connection,
      `SELECT DEFAULT_CHARACTER_SET_NAME AS charset, DEFAULT_COLLATION_NAME AS collation
       FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?`,
      [database]
    )
    await connection.query(
      `CREATE DATABASE ${quoteName(names.shadow)} CHARACTER SET ${like.charset} COLLATE ${like.collation}`
    )
  })
  const account = await DefinerUser.open(server, database, names.shadow)
  try {
    const into = { database: names.shadow, account }
    if (merge && base) {
      await runDumpImport(server, {
        ...common,
        file: base,
        into,
        doing: 'Copying existing data',
      })
    }
    const report = await runDumpImport(server, {
      ...common,
      file,
      acceptsMissingEnd,
      into,
      doing: 'Importing',
    })
    await assertNotEmpty(server, names.shadow, report, merge)
    return { own: account, report }
  } catch (error) {
    await account.close(names.shadow).catch(() => {})
    throw error
  }
}

/** Rejects a dump without any changes, and one that would only empty the database. */
async function assertNotEmpty(
  server: Server,
  shadow: string,
  report: FilterReport,
  merge: boolean
): Promise<void> {
  const leftOut = buildImportNotes(report).join(' ')
  if (report.changes === 0) {
    throw invalidDump(
      `The file contains no statement that creates or changes anything in a database. ${leftOut}`.trim()
    )
  }
  if (merge) return
  const total = await withConnection(
    server,
    { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
    (connection) => countDatabaseObjects(connection, shadow)
  )
  if (total > 0) return
  throw invalidDump(
    `After this import, the database would be empty: the file leaves no table, view, routine or event in it. To empty the database, drop it and create it again. ${leftOut}`.trim()
  )
}

function incompleteSwapError({ aside }: DatabaseSwap, error: unknown) {
  const { message } = error as Error
  return databaseOperationFailed(
    `The new tables are in place, but the rest of the file could not be imported: ${message}. The previous data is in the backup made before the import, and its tables are in ${aside} until the next import.`,
    error
  )
}

function strandedTablesError({ aside }: DatabaseSwap, error: unknown) {
  const { message } = error as Error
  return databaseOperationFailed(
    `The import failed, and the previous tables could not be moved back: ${message}. They are in ${aside} until the next import. The previous data is also in the backup made before the import.`,
    error
  )
}

const isDown = (error: unknown) => (error as { status?: number }).status === 503
const retryWhenServerResponds = () =>
  new RetryLater('Waiting for the database server to respond again', 3_000)

async function reopenDefinerUser(
  server: Server,
  database: string,
  shadow: string
): Promise<DefinerUser> {
  try {
    return await DefinerUser.open(server, database, shadow)
  } catch (error) {
    // A swap may have started. It must resume when the server responds again.
    throw isDown(error) ? retryWhenServerResponds() : error
  }
}

function namesOf({ prefix }: Server, database: string) {
  const key = `${shortDatabaseKey(database)}_${randomBytes(4).toString('hex')}`
  return { shadow: `${prefix}${SHADOW_PREFIX}${key}`, aside: `${prefix}${ASIDE_PREFIX}${key}` }
}

/** No other import into this database runs at the same time. */
async function dropEarlierImportDatabases(server: Server, database: string): Promise<void> {
  await withConnection(server, { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS }, async (connection) => {
    const rows = await selectRows<{ name: string }>(
      connection,
      'SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA'
    )
    const beginnings = [SHADOW_PREFIX, ASIDE_PREFIX].map(
      (each) => `${server.prefix}${each}${shortDatabaseKey(database)}_`
    )
    for (const { name } of rows) {
      if (!beginnings.some((each) => name.startsWith(each))) continue
      await connection.query(`DROP DATABASE IF EXISTS ${quoteName(name)}`)
    }
  })
}
