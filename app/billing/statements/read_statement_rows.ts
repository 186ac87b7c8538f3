import { toPlainText } from '#billing/pasted_text'
import type { TermAnswers } from '#billing/statements/column_terms'
import { readStatementTable } from '#billing/statements/read_table'
import { collectDecimalSeparators } from '#billing/statements/statement_amount'
import { type ParsedStatementRow, parseStatementRow } from '#billing/statements/statement_row'
import type { StatementColumnIndexes } from '#billing/transformers/statement_page_props'

/**
 * Reads the file twice, because only all amounts together show whether it uses decimal commas.
 * @throws 422 if the file has no table
 */
export async function* readStatementRows(
  file: Buffer,
  columns: StatementColumnIndexes,
  answers?: TermAnswers
): AsyncGenerator<{ at: number; read: ParsedStatementRow }> {
  const separators = await collectDecimalSeparators(amountsOf(file, columns))
  const { head, delimiter, rows } = await readStatementTable(file)
  for await (const { at, cells } of rows) {
    const wrong = delimiter && problemOf(cells, { head, delimiter, amount: columns.amount })
    yield {
      at,
      read: wrong ? { wrong } : parseStatementRow(cells, columns, { separators, answers }),
    }
  }
}

/** Returns why this row was probably divided wrongly: cells joined by a quotation mark, or split. Otherwise `null`. */
function problemOf(
  cells: string[],
  { head, delimiter, amount }: { head: string[]; delimiter: string; amount: number }
): string | null {
  if (cells.some((cell) => containsRow(cell, head.length, delimiter))) {
    return 'A quotation mark is not closed, so the following rows became part of this row.'
  }
  const namedLength = head.findLastIndex((name) => name !== '') + 1
  const isLonger =
    cells.length > head.length || cells.slice(namedLength).some((cell) => cell !== '')
  const isFilled = cells.slice(head.length).some((cell) => cell !== '')
  if (isFilled || (isLonger && isAmountSplit(cells, amount))) {
    return 'The row has more cells than the header. Put quotes around texts and amounts that contain the delimiter.'
  }
  return null
}

/**
 * Returns whether an unquoted amount such as 1,500.00 was split into two cells. It would be read as
 * 1.
 */
function isAmountSplit(cells: string[], amount: number): boolean {
  const [begin, next] = [cells[amount] ?? '', cells[amount + 1] ?? ''].map(toPlainText)
  return /^\D*\d+$/.test(begin) && /^(\d\d|\d{3}(\.\d+)?)\D*$/.test(next)
}

/** A note can have several lines, but fewer delimiters than a row. */
const containsRow = (cell: string, width: number, delimiter: string) =>
  /[\r\n]/.test(cell) && cell.split(delimiter).length >= width

async function* amountsOf(file: Buffer, columns: StatementColumnIndexes) {
  const { rows } = await readStatementTable(file)
  for await (const { cells } of rows) yield cells[columns.amount] ?? ''
}
