import { LONG_QUERY_TIMEOUT_MS, withConnection } from '#databases/mysql/connect'
import { quoteName } from '#databases/mysql/sql_quoting'
import type { DatabaseContentCounts } from '#databases/models/database_backup'
import type { Server } from '#databases/servers/server'
import type { Connection, RowDataPacket } from 'mysql2/promise'

/**
 * Errors that concern a single table: engine or files missing, table corrupt or dropped. Source:
 * include/mysqld_error.h and include/my_base.h of MariaDB.
 */
export const UNREADABLE_TABLE_ERRORS = new Set([
  126, 127, 144, 145, 1016, 1017, 1033, 1034, 1035, 1146, 1194, 1195, 1286, 1812, 1814, 1932,
])

export async function selectRows<Row>(
  connection: Connection,
  text: string,
  values: unknown[] = []
) {
  const [rows] = await connection.query<RowDataPacket[]>(text, values)
  return rows as unknown as Row[]
}

/** Includes sequences, because RENAME TABLE can rename them too. Omits views. */
export async function listTableNames(connection: Connection, database: string): Promise<string[]> {
  const rows = await selectRows<{ name: string }>(
    connection,
    `SELECT TABLE_NAME AS name FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = ? AND TABLE_TYPE NOT LIKE '%VIEW' ORDER BY TABLE_NAME`,
    [database]
  )
  return rows.map(({ name }) => name)
}

export async function countDatabaseObjects(
  connection: Connection,
  database: string
): Promise<number> {
  const [{ total }] = await selectRows<{ total: string }>(
    connection,
    `SELECT
       (SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?) +
       (SELECT COUNT(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ?) +
       (SELECT COUNT(*) FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ?) AS total`,
    [database, database, database]
  )
  return Number(total)
}

/** Counts exactly, because estimates would hide missing rows. */
export function countDatabaseContents(
  server: Server,
  database: string
): Promise<DatabaseContentCounts> {
  return withConnection(server, { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS }, async (connection) => {
    const tables = await listTableNames(connection, database)
    let rows = 0
    for (const table of tables) {
      const from = `${quoteName(database)}.${quoteName(table)}`
      try {
        const [{ total }] = await selectRows<{ total: string }>(
          connection,
          `SELECT COUNT(*) AS total FROM ${from}`
        )
        rows += Number(total)
      } catch (error) {
        // Skips the table. The export reports tables that cannot be read.
        if (!UNREADABLE_TABLE_ERRORS.has((error as { errno?: number }).errno ?? 0)) throw error
      }
    }
    const [others] = await selectRows<Record<string, string | number>>(
      connection,
      `SELECT
         (SELECT COUNT(*) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?) AS views,
         (SELECT COUNT(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ?) AS routines,
         (SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ?) AS triggers,
         (SELECT COUNT(*) FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ?) AS events`,
      [database, database, database, database]
    )
    const count = (key: string) => Number(others[key])
    return {
      tables: tables.length,
      rows,
      views: count('views'),
      routines: count('routines'),
      triggers: count('triggers'),
      events: count('events'),
    }
  })
}

export function loadServerCapabilities(
  server: Server
): Promise<{ collations: string[]; maxPacket: number; ignoresCase: boolean }> {
  return withConnection(server, { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS }, async (connection) => {
    const [{ packet, names }] = await selectRows<{ packet: string; names: string }>(
      connection,
      'SELECT @@GLOBAL.max_allowed_packet AS packet, @@GLOBAL.lower_case_table_names AS names'
    )
    // MariaDB lists a collation of several character sets only once, without their names: `uca1400_ai_ci`.
    const rows = await selectRows<{ COLLATION_NAME: string; FULL_COLLATION_NAME?: string }>(
      connection,
      'SELECT * FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY'
    )
    const known = rows.flatMap((row) => [row.COLLATION_NAME, row.FULL_COLLATION_NAME ?? ''])
    const collations = [...new Set(known.filter(Boolean).map((name) => name.toLowerCase()))]
    return { collations, maxPacket: Number(packet), ignoresCase: Number(names) !== 0 }
  })
}
