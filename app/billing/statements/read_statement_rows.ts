import { readStatementTable } from '#billing/statements/read_table'
import { collectProvenSeparators } from '#billing/statements/statement_amount'
import { type ParsedStatementRow, parseStatementRow } from '#billing/statements/statement_row'
import type { StatementColumnIndexes } from '#billing/transformers/statement_page_props'

/**
 * Reads the file twice: all amounts together show whether it uses decimal commas.
 * @throws 422 if the file has no table
 */
export async function* readStatementRows(
  file: Buffer,
  columns: StatementColumnIndexes
): AsyncGenerator<{ at: number; read: ParsedStatementRow }> {
  const separators = await collectProvenSeparators(amountsOf(file, columns))
  const { head, isDelimited, rows } = await readStatementTable(file)
  for await (const { at, cells } of rows) {
    const isSplit = isDelimited && cells.slice(head.length).some((cell) => cell !== '')
    yield { at, read: isSplit ? SPLIT_ROW : parseStatementRow(cells, columns, separators) }
  }
}

/** An amount without quotes, such as 1,500.00 in a file with commas, would be read as 1. */
const SPLIT_ROW = {
  wrong:
    'The row has more cells than the header. Put quotes around texts and amounts that contain the delimiter.',
}

async function* amountsOf(file: Buffer, columns: StatementColumnIndexes) {
  const { rows } = await readStatementTable(file)
  for await (const { cells } of rows) yield cells[columns.amount] ?? ''
}
