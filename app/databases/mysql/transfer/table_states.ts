import { listTableNames, selectRows } from '#databases/mysql/transfer/database_contents'
import { LONG_QUERY_TIMEOUT_MS, withConnection } from '#databases/mysql/connect'
import { quoteName } from '#databases/mysql/sql_quoting'
import { databaseOperationFailed } from '#databases/errors'
import type { TableStates } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import type { Connection } from 'mysql2/promise'
import { setTimeout as sleep } from 'node:timers/promises'

/** Replaces a time within the last second: UPDATE_TIME has only seconds, so a later write could leave it unchanged. */
const TOO_RECENT = 'too recent'

/** State of each table just before the swap moves it, by its name. `updatedAt` may be `TOO_RECENT`. */
export type MovedTableStates = Record<string, { updatedAt: string | null; checksum: number | null }>

/** Reads the state of all tables, including a checksum of all rows. An unreadable table has no checksum. */
export function readTableStates(server: Server, database: string): Promise<TableStates> {
  return withConnection(
    server,
    { database, queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
    async (connection) => {
      await waitAfterRecentChanges(connection, database)
      const states: TableStates = {}
      for (const [name, { createdAt }] of await readTableTimes(connection, database)) {
        states[name] = { createdAt, checksum: await checksumOf(connection, database, name) }
      }
      return states
    }
  )
}

/**
 * Checks that no table was written to, created, altered or dropped after `before` was read.
 * @throws 409 with the name of a changed table
 */
export function assertTablesUnchanged(
  server: Server,
  database: string,
  before: TableStates
): Promise<MovedTableStates> {
  return withConnection(
    server,
    { database, queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
    async (connection) => {
      const current = await readTableTimes(connection, database)
      const states: MovedTableStates = {}
      for (const name of new Set([...Object.keys(before), ...current.keys()])) {
        const times = current.get(name)
        // ALTER TABLE and TRUNCATE TABLE change the time of creation.
        if (!times || times.createdAt !== before[name]?.createdAt) throw tableChanged(name)
        const checksum = await checksumOf(connection, database, name)
        if (checksum !== before[name].checksum) throw tableChanged(name)
        states[name] = { updatedAt: times.updatedAt, checksum }
      }
      return states
    }
  )
}

/**
 * Checks the tables that the swap has moved to `aside`, where no program writes to them. RENAME TABLE waits for
 * open transactions, which may commit rows after `assertTablesUnchanged`. Reads rows only of tables that may have
 * changed, because the database is without its tables meanwhile.
 * @throws 409 with the name of a changed table
 */
export async function assertMovedUnchanged(
  connection: Connection,
  aside: string,
  states: MovedTableStates
): Promise<void> {
  // The time is comparable, because RENAME TABLE does not change UPDATE_TIME.
  for (const [name, { updatedAt }] of await readTableTimes(connection, aside)) {
    if (updatedAt !== TOO_RECENT && updatedAt === states[name]?.updatedAt) continue
    const checksum = await checksumOf(connection, aside, name)
    if (checksum !== states[name]?.checksum) throw tableChanged(name)
  }
}

/**
 * Waits until the times of creation are over a second old. They have whole seconds, so a change within the same
 * second would stay unnoticed.
 */
async function waitAfterRecentChanges(connection: Connection, database: string): Promise<void> {
  const [{ isRecent }] = await selectRows<{ isRecent: number | null }>(
    connection,
    `SELECT MAX(CREATE_TIME) >= NOW() - INTERVAL 1 SECOND AS isRecent
     FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?`,
    [database]
  )
  if (isRecent) await sleep(1_100)
}

async function readTableTimes(connection: Connection, database: string) {
  const tables = new Set(await listTableNames(connection, database))
  const rows = await selectRows<{
    name: string
    createdAt: string | null
    updatedAt: string | null
  }>(
    connection,
    `SELECT TABLE_NAME AS name, CREATE_TIME AS createdAt,
       IF(UPDATE_TIME >= NOW() - INTERVAL 1 SECOND, '${TOO_RECENT}', UPDATE_TIME) AS updatedAt
     FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME`,
    [database]
  )
  return new Map(rows.filter(({ name }) => tables.has(name)).map((row) => [row.name, row]))
}

async function checksumOf(connection: Connection, database: string, name: string) {
  const [row] = await selectRows<{ Checksum: string | number | null }>(
    connection,
    `CHECKSUM TABLE ${quoteName(database)}.${quoteName(name)}`
  )
  return row.Checksum === null ? null : Number(row.Checksum)
}

function tableChanged(name: string) {
  return databaseOperationFailed(
    `A program changed the table ${name} during the import, so nothing was imported. Stop programs that write to the database and import again.`
  )
}
