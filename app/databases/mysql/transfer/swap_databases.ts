import { AppError, conflict } from '#core/app_error'
import { RetryLater } from '#core/operations/operations'
import { redactErrorMessage } from '#databases/mysql/transfer/run_dump_import'
import { selectRows, listTableNames } from '#databases/mysql/transfer/database_contents'
import { assertMovedUnchanged, type MovedTableStates } from '#databases/mysql/transfer/table_states'
import { LONG_QUERY_TIMEOUT_MS, withConnection } from '#databases/mysql/connect'
import { limitDefinitions } from '#databases/mysql/transfer/definition_limit'
import { quoteName, quoteText } from '#databases/mysql/sql_quoting'
import { RESERVED_NAME_PREFIX } from '#databases/names'
import type { Server, TemporaryUser } from '#databases/servers/server'
import type { Connection } from 'mysql2/promise'

export interface DatabaseObject {
  type: 'VIEW' | 'PACKAGE' | 'PACKAGE BODY' | 'PROCEDURE' | 'FUNCTION' | 'TRIGGER' | 'EVENT'
  name: string
  create: string
  sqlMode: string | null
  charset: string
  collation: string
}

/** Plan and progress of a swap. Saved before anything changes, so that an interrupted import can resume. */
export interface DatabaseSwap {
  /**
   * `begun`: triggers are being dropped and tables moved. `moved`: the new tables are in place. `cleared`:
   * old views, routines and events are dropped.
   */
  stage: 'begun' | 'moved' | 'cleared'
  shadow: string
  /** Database that holds the old tables until the swap is complete. */
  aside: string
  oldTables: string[]
  newTables: string[]
  oldTriggers: DatabaseObject[]
  /** Old views that have the name of a new table. They are dropped before the tables move. */
  oldViews?: DatabaseObject[]
  /** Old views, routines and events. They are dropped after the tables move. */
  oldOthers: Pick<DatabaseObject, 'type' | 'name'>[]
  /** Old tables that the server cannot move. They stay in place. */
  immovable?: { name: string; reason: string }[]
  recreated: DatabaseObject[]
  /** State of the old tables whose rows are also in the new ones. Absent if the import replaces all data. */
  merged?: MovedTableStates
  /** Whether moving the old tables back has failed. Then the database `aside` must not be dropped. */
  isStranded?: boolean
}

/** Saves the swap in the state of the import operation. `null` removes it. */
export type SwapSaver = (swap: DatabaseSwap | null) => Promise<void>

const LOCK_TIMEOUT_SECONDS = 20

/**
 * Plans the swap without changing anything.
 * @throws 409 if the import would replace a table that cannot be read or moved
 */
export async function planSwap(
  server: Server,
  { database, shadow, aside }: { database: string; shadow: string; aside: string }
): Promise<DatabaseSwap> {
  const old = await withConnection(
    server,
    { database, queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
    async (connection) => ({
      tables: await listTableNames(connection, database),
      immovable: await immovableIn(connection, database),
      triggers: await listObjects(connection, database, ['TRIGGER']),
      views: await listObjects(connection, database, ['VIEW']).catch(() => []),
      others: await namesOf(connection, database),
    })
  )
  const fresh = await withConnection(
    server,
    { database: shadow, queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
    async (connection) => ({
      tables: await listTableNames(connection, shadow),
      made: await listObjects(connection, shadow),
    })
  )
  const inTheWay = old.immovable.find(({ name }) => fresh.tables.includes(name))
  if (inTheWay) {
    throw conflict(
      `The table ${inTheWay.name} cannot be read or moved: ${inTheWay.reason}. Repair or drop it, then import again. The database is unchanged.`
    )
  }
  const stays = new Set(old.immovable.map(({ name }) => name))
  return {
    stage: 'begun',
    shadow,
    aside,
    oldTables: old.tables.filter((name) => !stays.has(name)),
    newTables: fresh.tables,
    oldTriggers: old.triggers,
    oldViews: old.views.filter(({ name }) => fresh.tables.includes(name)),
    oldOthers: old.others,
    immovable: old.immovable,
    recreated: fresh.made,
  }
}

/**
 * Swaps the tables in one statement, or if databases are merged, in two with a check between them. Then recreates
 * views, routines, triggers and events. Can resume from any stage. If the tables cannot be swapped, restores the old
 * triggers and views.
 * @returns a sentence for each object that could not be recreated, and for each old table that stays
 * @throws RetryLater while the server does not respond
 */
export async function runSwap(
  server: Server,
  database: string,
  swap: DatabaseSwap,
  journal: SwapSaver,
  account: Pick<TemporaryUser, 'user' | 'password'>
): Promise<string[]> {
  try {
    if (swap.stage === 'begun') {
      await moveTables(server, database, swap)
      swap.stage = 'moved'
      await journal(swap)
    }
    if (swap.stage === 'moved') {
      await withConnection(
        server,
        { database, queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
        async (connection) => {
          await moveDefaults(connection, database, swap.shadow)
          for (const { type, name } of swap.oldOthers) {
            if (type.startsWith('PACKAGE'))
              await connection.query(`SET SESSION sql_mode = 'ORACLE'`)
            await connection.query(`DROP ${type} IF EXISTS ${quoteName(name)}`)
          }
        }
      )
      swap.stage = 'cleared'
      await journal(swap)
    }
    const notes = await withConnection(
      server,
      { database, account, queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
      (connection) => recreateObject(connection, swap.recreated)
    )
    await withConnection(server, { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS }, async (connection) => {
      for (const each of [swap.aside, swap.shadow]) {
        await connection.query(`DROP DATABASE IF EXISTS ${quoteName(each)}`)
      }
    })
    const staying = (swap.immovable ?? []).map(
      ({ name, reason }) => `The old table ${name} was kept, because it cannot be moved: ${reason}`
    )
    return [...notes, ...staying]
  } catch (error) {
    // After a lost connection, nothing is rolled back, because the swap can resume.
    if (isAway(error))
      throw new RetryLater('Waiting for the database server to respond again', 3_000)
    throw error
  }
}

async function moveTables(server: Server, database: string, swap: DatabaseSwap): Promise<void> {
  await withConnection(
    server,
    { database, queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
    async (connection) => {
      await connection.query(`SET SESSION lock_wait_timeout = ${LOCK_TIMEOUT_SECONDS}`)
      const inShadow = new Set(await listTableNames(connection, swap.shadow))
      const inAside = new Set(await listTableNames(connection, swap.aside))
      const out = swap.oldTables.filter((name) => !inAside.has(name))
      const into = swap.newTables.filter((name) => inShadow.has(name))
      if (out.length + into.length === 0) return
      const [like] = await selectRows<{ charset: string; collation: string }>(
        connection,
        `SELECT DEFAULT_CHARACTER_SET_NAME AS charset, DEFAULT_COLLATION_NAME AS collation
       FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?`,
        [database]
      )
      await connection.query(
        `CREATE DATABASE IF NOT EXISTS ${quoteName(swap.aside)} CHARACTER SET ${like.charset} COLLATE ${like.collation}`
      )
      try {
        for (const { name } of swap.recreated.filter(({ type }) => type === 'TRIGGER')) {
          await connection.query(`DROP TRIGGER IF EXISTS ${qualifiedName(swap.shadow, name)}`)
        }
        for (const { name } of swap.oldTriggers) {
          await connection.query(`DROP TRIGGER IF EXISTS ${qualifiedName(database, name)}`)
        }
        for (const { name } of swap.oldViews ?? []) {
          await connection.query(`DROP VIEW IF EXISTS ${qualifiedName(database, name)}`)
        }
        const pairsOut = out.map((name) => [
          qualifiedName(database, name),
          qualifiedName(swap.aside, name),
        ])
        const pairsInto = into.map((name) => [
          qualifiedName(swap.shadow, name),
          qualifiedName(database, name),
        ])
        if (swap.merged) {
          // Two statements: a program that writes between them gets an error, so that its rows are not lost.
          await renameTables(connection, pairsOut)
          await assertMovedUnchanged(connection, swap.aside, swap.merged)
          await renameTables(connection, pairsInto)
        } else {
          await renameTables(connection, [...pairsOut, ...pairsInto])
        }
      } catch (error) {
        if (isAway(error)) throw error
        await moveBack(connection, database, swap)
        await restoreObject(connection, [...swap.oldTriggers, ...(swap.oldViews ?? [])])
        if (error instanceof AppError) throw error
        const { errno, message } = error as { errno?: number; message: string }
        throw conflict(
          errno === 1205
            ? `The database was in use for longer than ${LOCK_TIMEOUT_SECONDS} seconds, so the new tables could not be moved into place. The database is unchanged. Try again when it is used less.`
            : `The new tables could not be moved into place: ${message}. The database is unchanged.`
        )
      }
    }
  )
}

const qualifiedName = (schema: string, name: string) => `${quoteName(schema)}.${quoteName(name)}`

async function renameTables(connection: Connection, pairs: string[][]): Promise<void> {
  if (pairs.length === 0) return
  await connection.query(`RENAME TABLE ${pairs.map(([from, to]) => `${from} TO ${to}`).join(', ')}`)
}

/** Moves the old tables back. First moves tables away that a program has created under their names since. */
async function moveBack(connection: Connection, database: string, swap: DatabaseSwap) {
  const inAside = await listTableNames(connection, swap.aside)
  const there = new Set(await listTableNames(connection, database))
  swap.isStranded = inAside.length > 0
  await renameTables(
    connection,
    inAside.flatMap((name, index) => {
      const back = [qualifiedName(swap.aside, name), qualifiedName(database, name)]
      const away = [
        qualifiedName(database, name),
        qualifiedName(swap.shadow, `${RESERVED_NAME_PREFIX}new_${index}`),
      ]
      return there.has(name) ? [away, back] : [back]
    })
  )
  swap.isStranded = false
}

/**
 * Updates column defaults that refer to a sequence. They contain the database's name, which RENAME TABLE does not
 * change.
 */
async function moveDefaults(
  connection: Connection,
  database: string,
  shadow: string
): Promise<void> {
  const old = `${quoteName(shadow)}.`
  const columns = await selectRows<{ table: string; name: string; value: string }>(
    connection,
    `SELECT TABLE_NAME AS \`table\`, COLUMN_NAME AS name, COLUMN_DEFAULT AS value
     FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND LOCATE(?, COLUMN_DEFAULT) > 0
       AND COLUMN_DEFAULT LIKE '%val(%' AND TABLE_NAME NOT IN
         (SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?)`,
    [database, old, database]
  )
  for (const { table, name, value } of columns) {
    const moved = value.replaceAll(old, `${quoteName(database)}.`)
    await connection.query(
      `ALTER TABLE ${quoteName(table)} ALTER COLUMN ${quoteName(name)} SET DEFAULT (${moved})`
    )
  }
}

/**
 * Recreates objects as the server's administrator. Safe, because their definitions come from the server, not from
 * the dump.
 */
async function restoreObject(connection: Connection, objects: DatabaseObject[]): Promise<void> {
  for (const each of objects) {
    await connection.query(`DROP ${each.type} IF EXISTS ${quoteName(each.name)}`)
    await restoreSessionSettings(connection, each)
    await connection.query(each.create)
  }
}

/**
 * Creates objects. Because a view may depend on a later one, repeats the failed ones as long as any succeeds.
 * @returns one message for each object that could not be created
 */
async function recreateObject(
  connection: Connection,
  objects: DatabaseObject[]
): Promise<string[]> {
  let waiting = objects
  let errors: string[] = []
  while (waiting.length > 0) {
    const left: DatabaseObject[] = []
    errors = []
    for (const each of waiting) {
      try {
        // A package can only be created or dropped with the sql_mode ORACLE.
        await restoreSessionSettings(connection, each)
        await connection.query(`DROP ${each.type} IF EXISTS ${quoteName(each.name)}`)
        await connection.query(each.create)
      } catch (error) {
        if (isAway(error)) throw error
        left.push(each)
        errors.push(
          `${each.type.toLowerCase()} ${each.name} could not be created: ${redactErrorMessage((error as Error).message)}`
        )
      }
    }
    if (left.length === waiting.length) return errors
    waiting = left
  }
  return []
}

/** Gives the session the settings that the object was created with. The server stores them with the new object. */
async function restoreSessionSettings(
  connection: Connection,
  { sqlMode, charset, collation }: DatabaseObject
): Promise<void> {
  await connection.query(
    `SET SESSION sql_mode = ${quoteText(sqlMode ?? '')}, character_set_client = ${charset}, collation_connection = ${collation}`
  )
}

const LIST_QUERIES: Record<DatabaseObject['type'], string> = {
  PACKAGE: `SELECT ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ? AND ROUTINE_TYPE = 'PACKAGE'`,
  'PACKAGE BODY': `SELECT ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ? AND ROUTINE_TYPE = 'PACKAGE BODY'`,
  FUNCTION: `SELECT ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ? AND ROUTINE_TYPE = 'FUNCTION'`,
  PROCEDURE: `SELECT ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ? AND ROUTINE_TYPE = 'PROCEDURE'`,
  VIEW: 'SELECT TABLE_NAME AS name FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?',
  TRIGGER:
    'SELECT TRIGGER_NAME AS name FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ? ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER',
  EVENT: 'SELECT EVENT_NAME AS name FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ?',
}

/** Lists only names, because the definitions of damaged objects may be unreadable. */
async function namesOf(
  connection: Connection,
  database: string
): Promise<DatabaseSwap['oldOthers']> {
  const all: DatabaseSwap['oldOthers'] = []
  for (const [type, list] of Object.entries(LIST_QUERIES) as [DatabaseObject['type'], string][]) {
    if (type === 'TRIGGER') continue
    const rows = await selectRows<{ name: string }>(connection, list, [database])
    all.push(...rows.map(({ name }) => ({ type, name })))
  }
  return all
}

/** Lists tables that RENAME TABLE rejects, because their engine or file is missing. */
async function immovableIn(connection: Connection, database: string) {
  const immovable: { name: string; reason: string }[] = []
  for (const name of await listTableNames(connection, database)) {
    try {
      await connection.query(`SELECT 1 FROM ${quoteName(name)} LIMIT 1`)
    } catch (error) {
      if (!UNMOVABLE_TABLE_ERRORS.has((error as { errno?: number }).errno ?? 0)) continue
      immovable.push({ name, reason: (error as Error).message })
    }
  }
  return immovable
}

/** Error codes ER_UNKNOWN_STORAGE_ENGINE, ER_TABLESPACE_MISSING and ER_NO_SUCH_TABLE_IN_ENGINE. */
const UNMOVABLE_TABLE_ERRORS = new Set([1286, 1812, 1932])

/**
 * Lists everything except tables, in the order in which it can be recreated. The connection must have selected
 * `database`, so that the definitions do not contain its name.
 */
async function listObjects(
  connection: Connection,
  database: string,
  types = Object.keys(LIST_QUERIES) as DatabaseObject['type'][]
): Promise<DatabaseObject[]> {
  const all: DatabaseObject[] = []
  const addToLimit = limitDefinitions()
  for (const type of types) {
    const list = LIST_QUERIES[type]
    for (const { name } of await selectRows<{ name: string }>(connection, list, [database])) {
      const [row] = await selectRows<Record<string, string | null>>(
        connection,
        `SHOW CREATE ${type} ${quoteName(name)}`
      )
      const create =
        row[
          `Create ${type.toLowerCase().replace(/\b[a-z]/g, (character) => character.toUpperCase())}`
        ] ?? row['SQL Original Statement']
      if (!create)
        throw conflict(
          `The server does not show the definition of ${name}. The database is unchanged.`
        )
      addToLimit(name, create)
      all.push({
        type,
        name,
        create,
        sqlMode: row.sql_mode ?? null,
        charset: row.character_set_client!,
        collation: row.collation_connection!,
      })
    }
  }
  return all
}

const CONNECTION_ERROR_PATTERN =
  /^(?:PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|ENOENT|ER_SERVER_SHUTDOWN|ER_CON_COUNT)/

function isAway(error: unknown): boolean {
  const { code, status, fatal } = error as { code?: string; status?: number; fatal?: boolean }
  return status === 503 || fatal === true || CONNECTION_ERROR_PATTERN.test(code ?? '')
}
