import { readStatementRows } from '#billing/statements/read_statement_rows'
import type { FailedTransfer, StatementLine, UnknownTerm } from '#billing/statements/statement_row'
import { termAnswers, termKey } from '#billing/statements/column_terms'
import type {
  StatementColumnIndexes,
  StatementTermAnswer,
  UnknownStatementTerm,
} from '#billing/transformers/statement_page_props'
import { sameAmount, withCurrencySymbol } from '#core/money'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

interface UnreadableRow {
  row: number
  why: string
}

type Line = StatementLine & { row: number }

const LINE_BATCH_SIZE = 2_000
const MAX_UNREAD_ROWS = 100
/**
 * Maximum number of terms that staff are asked about. A column of notes would have a new term in
 * each row.
 */
export const MAX_UNKNOWN_TERMS = 20
const MAX_UNKNOWN_ROWS = 10

/**
 * Replaces the lines stored for this statement. Skips transfers that another statement of the
 * operator contains.
 * @returns the number of rows with unknown terms
 */
export async function saveStatementLines(
  statement: { id: number; operator: string; file: Buffer },
  { columns, terms }: { columns: StatementColumnIndexes; terms: StatementTermAnswer[] },
  trx: TransactionClientContract
): Promise<{ unknown: number }> {
  // Saves one statement at a time. Two statements with the same transfers could deadlock.
  await trx.rawQuery(`select pg_advisory_xact_lock(hashtext('statement_lines'))`)
  await trx.from('statement_lines').where('statement_id', statement.id).delete()
  await trx.from('statement_failed_lines').where('statement_id', statement.id).delete()
  const passed = { outgoing: 0, failed: 0, before: 0, repeated: 0, wrong: 0, unknown: 0 }
  const unknownTerms = new Map<string, UnknownStatementTerm>()
  const seen = new Map<string, Pick<Line, 'amount' | 'at'>>()
  const unread: UnreadableRow[] = []
  const wrong = (row: number, why: string) => {
    passed.wrong += 1
    if (unread.length < MAX_UNREAD_ROWS) unread.push({ row, why })
  }
  let batch: Line[] = []
  let failed: (FailedTransfer & { row: number })[] = []
  const write = async () => {
    await insertFailed(statement, failed, trx)
    failed = []
    const { before, others } = await insert(statement, batch, trx)
    passed.before += before - others.length
    for (const { row, why } of others) wrong(row, why)
    batch = []
  }
  for await (const { at, read } of readStatementRows(statement.file, columns, termAnswers(terms))) {
    if ('passed' in read) {
      passed[read.passed] += 1
      if (read.passed === 'failed' && read.failed) failed.push({ ...read.failed, row: at })
    } else if ('unknown' in read) {
      passed.unknown += 1
      countUnknownTerm(unknownTerms, read.unknown, at)
    } else if ('wrong' in read) wrong(at, read.wrong)
    else {
      const { trxId } = read.line
      const earlier = seen.get(trxId)
      const difference = earlier && differenceOf(earlier, read.line)
      if (!earlier) {
        seen.set(trxId, { amount: read.line.amount, at: read.line.at })
        batch.push({ ...read.line, row: at })
      } else if (difference) wrong(at, `${trxId} is also in this file ${difference}`)
      else passed.repeated += 1
    }
    if (batch.length === LINE_BATCH_SIZE || failed.length === LINE_BATCH_SIZE) await write()
  }
  await write()
  await trx
    .from('statements')
    .where('id', statement.id)
    .update({
      columns: JSON.stringify(columns),
      passed_over: JSON.stringify(passed),
      unread: JSON.stringify(unread),
      unknown_terms: JSON.stringify([...unknownTerms.values()]),
    })
  return { unknown: passed.unknown }
}

function countUnknownTerm(
  terms: Map<string, UnknownStatementTerm>,
  { column, term }: UnknownTerm,
  row: number
): void {
  const key = termKey(column, term)
  const known = terms.get(key)
  if (!known) {
    if (terms.size < MAX_UNKNOWN_TERMS) terms.set(key, { column, term, count: 1, rows: [row] })
    return
  }
  known.count += 1
  if (known.rows.length < MAX_UNKNOWN_ROWS) known.rows.push(row)
}

async function insertFailed(
  { id, operator }: { id: number; operator: string },
  failed: (FailedTransfer & { row: number })[],
  trx: TransactionClientContract
): Promise<void> {
  if (failed.length === 0) return
  const rows = failed.map(({ trxId, outcome, status, row }) => ({
    statement_id: id,
    operator,
    row,
    trx_id: trxId,
    outcome,
    status,
  }))
  await trx.insertQuery().table('statement_failed_lines').multiInsert(rows)
}

/**
 * Returns how the line differs from an earlier one with the same ID, or `null`. Payers choose some
 * IDs, so it may be another transfer. Dates in different formats are not compared.
 */
function differenceOf(
  earlier: Pick<Line, 'amount' | 'at'>,
  { amount, at }: Pick<Line, 'amount' | 'at'>
): string | null {
  if (!sameAmount(earlier.amount, amount)) return `with ${withCurrencySymbol(earlier.amount)}.`
  if (!earlier.at || !at || earlier.at === at) return null
  const formatOf = (date: string) => date.replace(/\d{1,2}/g, '0')
  if (formatOf(earlier.at) !== formatOf(at)) return null
  return `with the date ${earlier.at}. Check whether these are two transfers.`
}

/**
 * Inserts lines that no statement of the operator contains yet. `before`: number of lines that were
 * not inserted. `others`: those of them whose stored line has another amount or date.
 */
async function insert(
  { id, operator }: { id: number; operator: string },
  lines: Line[],
  trx: TransactionClientContract
): Promise<{ before: number; others: UnreadableRow[] }> {
  if (lines.length === 0) return { before: 0, others: [] }
  const recordset = `jsonb_to_recordset(cast(? as jsonb)) as
    told(row int, "trxId" text, amount numeric, account text, "accountLike" text, at text)`
  const json = JSON.stringify(lines)
  const inserted = await trx.rawQuery(
    `insert into statement_lines (statement_id, operator, row, trx_id, amount, account, account_like, at)
     select cast(? as bigint), ?, row, "trxId", amount, account, "accountLike", at from ${recordset}
     on conflict (operator, trx_id) do nothing`,
    [id, operator, json]
  )
  const { rows } = await trx.rawQuery(
    `select told.row, told."trxId" as trx_id, told.amount, told.at, kept.amount as kept_amount,
       kept.at as kept_at
     from ${recordset}
     join statement_lines kept on kept.operator = ? and kept.trx_id = told."trxId"
     where kept.amount <> told.amount or kept.at <> told.at order by told.row`,
    [json, operator]
  )
  return {
    before: lines.length - Number(inserted.rowCount),
    others: rows.flatMap(({ row, trx_id: trxId, amount, at, ...kept }: Record<string, string>) => {
      const difference = differenceOf(
        { amount: kept.kept_amount, at: kept.kept_at },
        { amount, at }
      )
      if (!difference) return []
      return { row: Number(row), why: `${trxId} is already on a statement ${difference}` }
    }),
  }
}
