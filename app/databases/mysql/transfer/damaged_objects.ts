import { storableText } from '#core/storable_text'
import { redactErrorMessage } from '#databases/mysql/transfer/run_dump_import'
import { selectRows, UNREADABLE_TABLE_ERRORS } from '#databases/mysql/transfer/database_contents'
import { LONG_QUERY_TIMEOUT_MS, withConnection } from '#databases/mysql/connect'
import { limitDefinitions } from '#databases/mysql/transfer/definition_limit'
import { quoteName } from '#databases/mysql/sql_quoting'
import type { Server, TemporaryUser } from '#databases/servers/server'
import type { Connection } from 'mysql2/promise'

/** A database object that is missing or incomplete in a dump. */
export interface DamagedObject {
  kind: 'view' | 'table' | 'history' | 'procedure' | 'function' | 'trigger' | 'gone'
  name: string
  reason: string
  /** The object's CREATE statement or body. Null: the server cannot show it. */
  definition: string | null
}

const MAX_REASON_LENGTH = 300
const MAX_NOTES = 50
/** The text is cut, because a hostile server could send any length. Messages of real servers have up to 512 bytes. */
const MAX_MESSAGE_LENGTH = 4_000

/**
 * Lists objects that a dump made by `account` cannot contain completely. Checks each object separately, so that one
 * error does not hide another.
 */
export function listDamagedObjects(
  server: Server,
  database: string,
  account: Pick<TemporaryUser, 'user' | 'password'>
): Promise<DamagedObject[]> {
  return withConnection(
    server,
    { database, account, queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
    async (connection) => {
      const damaged: DamagedObject[] = []
      const addToLimit = limitDefinitions()
      const tables = await selectRows<{ name: string; type: string; engine: string | null }>(
        connection,
        `SELECT TABLE_NAME AS name, TABLE_TYPE AS type, ENGINE AS engine
       FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME`,
        [database]
      )
      for (const { name, type, engine } of tables) {
        if (type === 'SYSTEM VERSIONED')
          damaged.push({ kind: 'history', name, reason: '', definition: null })
        const isView = type.endsWith('VIEW')
        const reason = isView
          ? await problemOf(connection, `SHOW FIELDS FROM ${quoteName(name)}`)
          : await tableProblem(connection, name, engine)
        if (!reason) continue
        const definition = isView ? await viewDefinition(connection, name) : null
        addToLimit(name, reason, definition)
        damaged.push({ kind: isView ? 'view' : 'table', name, reason, definition })
      }
      const routines = await selectRows<{ name: string; type: string; body: string | null }>(
        connection,
        `SELECT ROUTINE_NAME AS name, ROUTINE_TYPE AS type, ROUTINE_DEFINITION AS body
       FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ? AND ROUTINE_TYPE IN ('PROCEDURE', 'FUNCTION')`,
        [database]
      )
      for (const { name, type, body } of routines) {
        const reason = await problemOf(connection, `SHOW CREATE ${type} ${quoteName(name)}`)
        if (!reason) continue
        const kind = type === 'FUNCTION' ? 'function' : 'procedure'
        addToLimit(name, reason, body)
        damaged.push({ kind, name, reason, definition: body })
      }
      // The definer of a trigger is empty if the server cannot parse the trigger.
      const triggers = await selectRows<{ name: string }>(
        connection,
        `SELECT TRIGGER_NAME AS name FROM information_schema.TRIGGERS
       WHERE TRIGGER_SCHEMA = ? AND DEFINER = ''`,
        [database]
      )
      for (const { name } of triggers)
        damaged.push({ kind: 'trigger', name, reason: '', definition: null })
      return damaged
    }
  )
}

/**
 * Errors that do not mean damage: too many connections, shutdown, lock timeout, deadlock, interrupted, killed,
 * statement timeout.
 */
const TEMPORARY_ERRORS = new Set([1040, 1053, 1205, 1213, 1317, 1927, 1969])
const isBroken = (number: number) =>
  number >= 1000 && number < 2000 && !TEMPORARY_ERRORS.has(number)

/** If the statement fails because of damage, returns the server's message. Rethrows all other errors. */
async function problemOf(
  connection: Connection,
  statement: string,
  isDamage = isBroken
): Promise<string | null> {
  try {
    await connection.query(statement)
    return null
  } catch (error) {
    const { errno, fatal, message } = error as { errno?: number; fatal?: boolean; message: string }
    if (fatal || !errno || !isDamage(errno)) throw error
    return message.slice(0, MAX_MESSAGE_LENGTH)
  }
}

/** Tables of these engines are read completely, because only that shows damage in the middle. */
const FRAGILE_ENGINES = new Set(['MyISAM', 'Aria', 'CSV', 'ARCHIVE'])

/**
 * Returns why a table cannot be read, or null. Does not use CHECK TABLE, which would mark the table as crashed
 * although sites may still read it.
 */
function tableProblem(connection: Connection, name: string, engine: string | null) {
  const table = quoteName(name)
  const isFragile = FRAGILE_ENGINES.has(engine ?? '')
  return problemOf(
    connection,
    isFragile ? `SELECT COUNT(*) FROM ${table} WHERE RAND() < 2` : `SELECT 1 FROM ${table} LIMIT 1`,
    (number) => UNREADABLE_TABLE_ERRORS.has(number)
  )
}

async function viewDefinition(connection: Connection, name: string): Promise<string | null> {
  try {
    const rows = await selectRows<Record<string, string>>(
      connection,
      `SHOW CREATE VIEW ${quoteName(name)}`
    )
    return rows[0]['Create View'] ?? null
  } catch {
    return null
  }
}

const NO_SUCH_TABLE_ERROR = 1146
const STATEMENT_FAILED_PATTERN =
  /^[\w-]+: Couldn't execute '[^`]*`(?<name>(?:[^`]|``)+)`[^`]*?': (?<reason>[^]*) \((?<number>\d+)\)$/
/** If the table was dropped during the dump, mariadb-dump prints this message before the error itself. */
const STATUS_FAILED_PATTERN =
  /^Error: Couldn't read status information for table (?<name>[^]+) \([^]*\)$/
const ROWS_FAILED_PATTERN =
  /^[\w-]+: Error (?<number>\d+): (?<reason>[^]*) when dumping table `(?<name>[^]+)` at row: \d+$/
/**
 * Warnings that mariadb-dump 11 prints before it connects. Only matched at the start: later lines can contain names
 * that a customer chose to look like a warning.
 */
const WARNINGS_PATTERN = /^(?:WARNING: .*\n)+/

/**
 * Parses the errors of `mariadb-dump --force`.
 * @returns objects, besides `known`, that were not dumped completely; null if another error may have occurred
 */
export function parseDumpErrors(stderr: string, known: DamagedObject[]): DamagedObject[] | null {
  const damage: DamagedObject[] = []
  const announced: string[] = []
  // One message can span several lines.
  const messages = stderr.replace(WARNINGS_PATTERN, '').trim()
  for (const message of messages.split(/\n(?=[\w-]+: (?:Couldn't|Error|Got) )/)) {
    const status = STATUS_FAILED_PATTERN.exec(message)?.groups
    if (status) {
      announced.push(status.name)
      continue
    }
    const match = STATEMENT_FAILED_PATTERN.exec(message) ?? ROWS_FAILED_PATTERN.exec(message)
    if (!match?.groups) return null
    const { reason, number } = match.groups
    const name = match.groups.name.replaceAll('``', '`')
    const isTable = UNREADABLE_TABLE_ERRORS.has(Number(number))
    const isKnown = (each: DamagedObject) =>
      each.name === name && (isTable || each.reason === reason)
    if (known.some(isKnown)) continue
    if (!isTable) return null
    if (damage.some((each) => each.name === name)) continue
    const kind = Number(number) === NO_SUCH_TABLE_ERROR ? 'gone' : 'table'
    damage.push({ kind, name, reason, definition: null })
  }
  const named = new Set([...known, ...damage].map(({ name }) => name))
  return announced.every((name) => named.has(name)) ? damage : null
}

export function renderDamageComments(damaged: DamagedObject[]): string {
  if (damaged.length === 0) return ''
  const lines = damaged.flatMap((each) =>
    ['', noteOf(each)].concat(each.definition?.split(/\r\n|\r|\n/) ?? [])
  )
  return `--\n-- Missing or incomplete in this file:\n${lines.map((line) => `-- ${line}`.trimEnd()).join('\n')}\n--\n\n`
}

/** Returns a sentence for each damaged object, at most 50, for the customer. */
export function damageNotes(damaged: DamagedObject[]): string[] {
  const notes = damaged.slice(0, MAX_NOTES).map(noteOf)
  const others = damaged.length - notes.length
  if (others > 0) notes.push(`${others} other objects are missing or incomplete.`)
  return notes
}

function noteOf({ kind, name, reason, definition }: DamagedObject): string {
  const why = storableText(redactErrorMessage(reason).replace(/[\r\n]+/g, ' '), MAX_REASON_LENGTH)
  const shown = name.replace(/[\r\n]+/g, ' ')
  if (kind === 'history')
    return `The file holds only the current rows of the table ${shown}, not their history.`
  if (kind === 'trigger')
    return `The server cannot parse the trigger ${shown}. The file contains it unchanged, so an import of the file would stop there. Repair or drop the trigger, then export again.`
  if (kind === 'gone')
    return `The table ${shown} was dropped during the export, so the file does not contain it.`
  if (kind === 'table')
    return `The table ${shown} could not be read completely: ${why}. Repair it and export again.`
  const text = definition
    ? 'The file contains its definition as a comment.'
    : 'The server does not show its definition.'
  return `The ${kind} ${shown} is broken and was skipped: ${why}. ${text}`
}
