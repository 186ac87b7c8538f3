import { AppError } from '#core/app_error'
import { type QueryColumn, columnOf, type RawCell } from '#databases/query/cell_format'
import type { Connection, FieldPacket, ResultSetHeader } from 'mysql2'
import type { Connection as PromiseConnection } from 'mysql2/promise'
import type { Duplex } from 'node:stream'
import { addAbortListener } from 'node:events'

/** The driver buffers a whole row in memory. */
const MAX_ROW_BYTES = 32 * 1024 * 1024

export interface RowReader {
  columns?(columns: QueryColumn[]): void
  /**
   * Receives the cells of a row. If it returns `enough`, the connection closes after this row. If it returns a
   * promise, reading pauses until that settles.
   */
  row(cells: RawCell[]): RowReaderAnswer | Promise<RowReaderAnswer>
}
export type RowReaderAnswer = 'more' | 'enough'

export interface StatementResult {
  columns: QueryColumn[]
  /** Number of changed rows. Null: the statement returns rows. */
  changed: number | null
  isCut: boolean
}

/** Returns the callback connection that a promise connection wraps. Only the callback API can stream rows. */
export function unwrapPromiseConnection(connection: PromiseConnection): Connection {
  return (connection as unknown as { connection: Connection }).connection
}

/**
 * Runs one statement and buffers only the current row. If there are several results (`CALL`), reads the first.
 * Rejects with the server's or reader's error, the signal's reason, or an AppError for a row above 32 MB. After a
 * rejection, the connection is usable only if the server reported the error.
 */
export function runStatement(
  connection: Connection,
  sql: string,
  reader: RowReader,
  signal: AbortSignal
): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(reasonOf(signal))
    let columns: QueryColumn[] = []
    let changed: number | null = null
    let results = 0
    let unread = 0
    const { stream } = connection as unknown as { stream: Duplex }
    const query = connection.query({ sql, rowsAsArray: true, typeCast: false })

    const settle = (finish: () => void) => {
      stream.off('data', count)
      connection.off('error', lost)
      watching[Symbol.dispose]()
      query.removeAllListeners()
      query.on('error', () => {})
      finish()
    }
    const leave = (finish: () => void) => {
      settle(() => {
        connection.on('error', () => {})
        connection.destroy()
        finish()
      })
    }
    const aborted = () => leave(() => reject(reasonOf(signal)))
    const lost = (error: Error) => leave(() => reject(error))
    const count = (chunk: Buffer) => {
      unread += chunk.length
      if (unread > MAX_ROW_BYTES) leave(() => reject(rowTooLong()))
    }
    const take = (answer: RowReaderAnswer) => {
      if (answer === 'enough') leave(() => resolve({ columns, changed: null, isCut: true }))
    }
    const wait = async (promise: Promise<RowReaderAnswer>) => {
      connection.pause()
      try {
        const answer = await promise
        if (answer === 'more') connection.resume()
        else take(answer)
      } catch (error) {
        leave(() => reject(error as Error))
      }
    }

    query.on('fields', (fields: FieldPacket[] | undefined) => {
      results++
      if (results > 1 || !fields) return
      columns = fields.map(columnOf)
      reader.columns?.(columns)
    })
    query.on('result', (result: RawCell[] | ResultSetHeader, index = 0) => {
      unread = 0
      if (!Array.isArray(result)) {
        changed = (changed ?? 0) + result.affectedRows
        return
      }
      if (index > 0) return
      const answer = reader.row(result)
      if (answer instanceof Promise) void wait(answer)
      else take(answer)
    })
    query.on('error', (error: Error) => settle(() => reject(error)))
    query.on('end', () => {
      settle(() => resolve({ columns, changed: columns.length > 0 ? null : changed, isCut: false }))
    })
    connection.on('error', lost)
    const watching = addAbortListener(signal, aborted)
    stream.on('data', count)
  })
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('Cancelled')
}

function rowTooLong(): AppError {
  const message =
    'A row of the result is larger than 32 MB and cannot be shown. Select fewer columns, or only a part of the long column with LEFT().'
  return new AppError('row_too_long', 422, message)
}
