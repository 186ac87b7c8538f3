import { countWithNoun } from '#packages/text/count_with_noun'
import { AppError } from '#core/app_error'
import type { StatementErrorDetails } from '#databases/transformers/page_props'

export class StatementError extends AppError {
  constructor(
    message: string,
    readonly fault: StatementErrorDetails
  ) {
    super('statement_failed', 422, message, { errors: { sql: [message] } })
  }
}

export function queryTimedOut(seconds: number): AppError {
  const message = `The query took longer than ${countWithNoun(seconds, 'second')} and was stopped. Allow more time, or select less data.`
  return new AppError('time_is_up', 408, message)
}

/** Creates the error of a query that was cancelled by a request, or because the browser has disconnected. */
export function queryCancelled(): AppError {
  return new AppError('cancelled', 499, 'The query was cancelled.')
}

interface SqlError extends Error {
  errno?: number
  sqlState?: string
  sqlMessage?: string
}

const TIMEOUT_ERRORS = [1969, 3024]
const KILLED_ERRORS = [1317, 1927, 3169]
const ACCESS_DENIED_ERRORS = [1044, 1045, 1142, 1143, 1227, 1370]

/**
 * Converts a server's error to a StatementError with number, message and position, or to the error of a timeout or a
 * cancelled query. Omits the driver's error, which contains the statement's values. Returns other errors unchanged.
 */
export function toStatementError(
  error: unknown,
  { sql, write, timeout }: { sql: string; write: boolean; timeout: number }
): unknown {
  const { errno, sqlState, sqlMessage } = error as SqlError
  if (!(error instanceof Error) || typeof errno !== 'number' || sqlMessage === undefined) {
    return error
  }
  if (TIMEOUT_ERRORS.includes(errno)) return queryTimedOut(timeout)
  if (KILLED_ERRORS.includes(errno)) return queryCancelled()
  const message = sqlMessage.slice(0, 2_000)
  return new StatementError(`${errno}: ${message}${adviceOn(errno, write)}`, {
    number: errno,
    state: sqlState ?? null,
    ...errorPosition(message, sql),
  })
}

function adviceOn(errno: number, write: boolean): string {
  if (errno === 1792) return ' Turn off Read-only to run it.'
  if (!ACCESS_DENIED_ERRORS.includes(errno)) return ''
  return write
    ? ' A query can use only this database, not other parts of the server.'
    : ' In read-only mode, a query can read only the tables and views of this database.'
}

/**
 * Parses the position in `… near 'FROM x' at line 2`. The server quotes up to 80 characters, starting at the error.
 * Nothing in the message is certain: a statement can set it itself (`SIGNAL`), with any line number.
 */
function errorPosition(
  message: string,
  sql: string
): Pick<StatementErrorDetails, 'line' | 'position'> {
  const match = /near '([\s\S]*)' at line (\d+)\s*$/.exec(message)
  if (!match) return { line: null, position: null }
  const [, near, number] = match
  const line = Math.min(Number(number), sql.split('\n').length)
  let start = 0
  for (let passed = 1; passed < line; passed++) start = sql.indexOf('\n', start) + 1
  if (near === '') return { line, position: sql.length }
  // A quote without `...` is complete, so it reaches to the end of the statement.
  const at = near.endsWith('...')
    ? sql.indexOf(near.slice(0, -3), start)
    : sql.lastIndexOf(near.trimEnd())
  return { line, position: at < start ? start : at }
}
