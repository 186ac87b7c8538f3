import { statementRejected } from '#billing/errors'
import { openUploadedWorkbook } from '#billing/statements/uploaded_workbook'
import { AppError } from '#core/app_error'
import { parse } from 'csv-parse'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

export const MAX_STATEMENT_BYTES = 10 * 1024 * 1024
export const MAX_STATEMENT_ROWS = 100_000
/** The header is searched in this many rows, because operators describe the account above the table. */
const MAX_PREAMBLE_ROWS = 20
/** Parses the file in chunks of this many characters, between which the event loop can run. */
const PARSE_CHUNK_LENGTH = 64 * 1024
const DELIMITERS = [',', ';', '\t', '|']

export interface StatementTable {
  head: string[]
  /** Hash of the column names. It is the same in all statements of a format. */
  fingerprint: string
  /** Character between cells. `null`: the file is a workbook. */
  delimiter: string | null
  /** `at` is the row number in the file, from 1; blank rows are not counted. */
  rows: AsyncIterable<{ at: number; cells: string[] }>
}

/**
 * Reads CSV (four delimiters; UTF-8, UTF-16 or Windows-1252) and XLSX.
 * @throws 422 if the file is neither or has no header row; while its rows are read, 422 for too many of them
 */
export async function readStatementTable(file: Buffer): Promise<StatementTable> {
  const { table, index } = await headOf(await tablesOf(file))
  if (!table) throw statementRejected('This file has no table with a header row.')
  const all = table.rows()
  let at = 0
  let head: string[] = []
  while (at <= index) {
    head = (await all.next()).value!
    at += 1
  }
  return {
    head,
    fingerprint: fingerprintOf(head),
    delimiter: table.delimiter,
    rows: numberRows(all, at),
  }
}

async function* numberRows(rows: AsyncGenerator<string[]>, begin: number) {
  let at = begin
  for await (const cells of rows) {
    at += 1
    if (at - begin > MAX_STATEMENT_ROWS) {
      throw statementRejected(
        'The statement has more than 100,000 rows. Split it and upload the parts.'
      )
    }
    yield { at, cells }
  }
}

interface Table {
  delimiter: string | null
  /** Each call starts at the first row. */
  rows: () => AsyncGenerator<string[]>
}

interface HeadPosition {
  table: Table | null
  index: number
}

async function tablesOf(file: Buffer): Promise<Table[]> {
  if (isWorkbook(file)) {
    const { sheets } = await openUploadedWorkbook(file)
    return sheets.map((rows) => ({ delimiter: null, rows }))
  }
  const text = decodeText(file)
  return DELIMITERS.map((delimiter) => ({ delimiter, rows: () => rowsOf(text, delimiter) }))
}

async function headOf(tables: Table[]): Promise<HeadPosition> {
  let best: HeadPosition = { table: null, index: -1 }
  let head: string[] = ['']
  const failures: { delimiter: string; error: AppError }[] = []
  for (const table of tables) {
    let at = 0
    try {
      for await (const cells of table.rows()) {
        if (countNamed(cells) > Math.max(countNamed(head), 1)) {
          ;[best, head] = [{ table, index: at }, cells]
        }
        at += 1
        if (at === MAX_PREAMBLE_ROWS) break
      }
    } catch (error) {
      if (!(error instanceof AppError) || table.delimiter === null) throw error
      failures.push({ delimiter: table.delimiter, error })
    }
  }
  // Parsing with a wrong delimiter can fail at quoted cells. Such a delimiter gives fewer columns than the best one.
  const isOther = (delimiter: string) => head.join('').split(delimiter).length < head.length
  const failure = failures.find(({ delimiter }) => !isOther(delimiter))
  if (failure) throw failure.error
  return best
}

const countNamed = (cells: string[]) => cells.filter((cell) => /\p{L}/u.test(cell)).length

async function* rowsOf(text: string, delimiter: string): AsyncGenerator<string[]> {
  const rows = Readable.from(csvSlices(text)).pipe(
    parse({
      delimiter,
      trim: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: PARSE_CHUNK_LENGTH,
    })
  )
  try {
    for await (const row of rows) yield row as string[]
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('CSV_')) throw error
    throw statementRejected('This file cannot be read as CSV.')
  }
}

function* csvSlices(text: string) {
  for (let from = 0; from < text.length; from += PARSE_CHUNK_LENGTH)
    yield text.slice(from, from + PARSE_CHUNK_LENGTH)
}

const startsWithBytes = (file: Buffer, ...bytes: number[]) =>
  bytes.every((byte, index) => file[index] === byte)

const isWorkbook = (file: Buffer) => startsWithBytes(file, 0x50, 0x4b)

function decodeText(file: Buffer): string {
  if (startsWithBytes(file, 0xd0, 0xcf)) {
    throw statementRejected(
      'This workbook is in an old format or has a password. Save it as XLSX without a password, or as CSV.'
    )
  }
  if (startsWithBytes(file, 0x25, 0x50, 0x44, 0x46)) {
    throw statementRejected(
      'This is a PDF. Download the statement as CSV or XLSX from the operator’s portal.'
    )
  }
  if (startsWithBytes(file, 0xff, 0xfe)) return new TextDecoder('utf-16le').decode(file)
  if (startsWithBytes(file, 0xfe, 0xff)) return new TextDecoder('utf-16be').decode(file)
  try {
    return plainHeader(new TextDecoder('utf-8', { fatal: true }).decode(file))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return plainHeader(new TextDecoder('windows-1252').decode(file))
  }
}

function plainHeader(text: string): string {
  if (text.includes('\0')) throw statementRejected('This file cannot be read as CSV.')
  return text
}

function fingerprintOf(head: string[]): string {
  const names = head.map((name) => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' '))
  return createHash('sha256').update(JSON.stringify(names)).digest('hex')
}
