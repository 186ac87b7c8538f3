import { type BillFamily, billLabel } from '#billing/bill_families'
import { termLabel } from '#billing/statements/column_terms'
import { guessColumns } from '#billing/statements/guess_columns'
import { readStatementTable } from '#billing/statements/read_table'
import { matchStates } from '#billing/statements/match_states'
import type {
  StatementLineRow,
  MatchState,
  UnmatchedPaymentRow,
  TransferMatch,
  StatementPage,
  StatementRow,
} from '#billing/transformers/statement_page_props'
import { findSimilarTransfers, type SimilarTransfer } from '#billing/statements/similar_transfers'
import {
  startsWith,
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  type ListRequest,
} from '#core/list_page'
import { notFound } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'
import Big from 'big.js'
import type { DateTime } from 'luxon'

export const statementListDefinition: ListDefinition = {
  statuses: {},
  sorts: { at: 's.created_at', operator: 'operator', lines: 'lines' },
  ties: 's.id desc',
  search: searchAnywhereIn('operator', 'filename'),
}

export const statementMatchListDefinition: ListDefinition = {
  statuses: matchStates,
  statusColumn: 'state',
  sorts: { row: 'm.row', amount: 'm.amount' },
  order: 'row',
  ties: 'm.id',
  search: startsWith('m.trx_id', 'm.account'),
}

const MAX_MISSING_SHOWN = 100
const SAMPLE_ROWS = 5

interface StoredStatement {
  id: number
  operator: string
  filename: string
  columns: StatementPage['columns'] | null
  lines: string
  by: string | null
  created_at: Date
}

const statements = () =>
  db
    .from('statements as s')
    .leftJoin('people', 'people.id', 's.created_by')
    .joinRaw(
      `cross join lateral
        (select count(*) as lines from statement_lines where statement_id = s.id) counted`
    )
    .select('s.id', 'operator', 'filename', 'columns', 'lines', 'people.name as by', 's.created_at')

export async function listStatements(list: ListRequest) {
  const { rows, ...facts } = await queryListPage<StoredStatement>(
    statements(),
    list,
    statementListDefinition
  )
  return { ...facts, statements: rows.map(statementRow) }
}

function statementRow({ id, operator, filename, columns, lines, by, created_at }: StoredStatement) {
  const row: StatementRow = {
    id,
    operator,
    filename,
    is_read: columns !== null,
    lines: Number(lines),
    by,
    created_at: created_at.toISOString(),
  }
  return row
}

/** Operators of earlier statements first, then well-known ones. */
export async function listMobileMoneyOperators(): Promise<string[]> {
  const rows: { operator: string }[] = await db.from('statements').distinct('operator').limit(50)
  const known = rows.map(({ operator }) => operator).sort()
  return [...new Set([...known, 'bKash', 'Nagad', 'Rocket', 'Upay'])]
}

interface BillColumns {
  family: BillFamily
  number: string | null
  external_id: string | null
}

const billName = ({ family, number, external_id: externalId }: BillColumns) =>
  billLabel({ family, number, externalId })

interface UnmatchedPayment
  extends
    BillColumns,
    Record<'id' | 'bill_id', number>,
    Record<'trx_id' | 'account_number' | 'taka', string> {
  claimed_at: Date
  failed: string | null
}

const MISSING_PAYMENTS_SQL = `from bill_payments p join bills b on b.id = p.bill_id
  where p.status = 'claimed' and not exists
    (select 1 from statement_lines l where l.trx_id = p.trx_id)`

export async function listUnmatchedPayments(): Promise<{
  rows: UnmatchedPaymentRow[]
  count: number
}> {
  const [matches, counts] = await Promise.all([
    db.rawQuery(
      `select p.id, p.bill_id, b.number, b.external_id, b.family, p.trx_id, p.account_number,
         p.taka, p.claimed_at,
         (select status from statement_failed_lines f where f.trx_id = p.trx_id
           order by f.id desc limit 1) as failed ${MISSING_PAYMENTS_SQL} order by p.id limit ?`,
      [MAX_MISSING_SHOWN]
    ),
    db.rawQuery(`select count(*) as total ${MISSING_PAYMENTS_SQL}`),
  ])
  const rows = matches.rows.map((row: UnmatchedPayment): UnmatchedPaymentRow => ({
    id: row.id,
    bill_id: row.bill_id,
    bill: billName(row),
    family: row.family,
    trx_id: row.trx_id,
    taka: row.taka,
    account_number: row.account_number,
    at: row.claimed_at.toISOString(),
    failed: row.failed === null ? null : termLabel(row.failed),
  }))
  return { rows, count: Number(counts.rows[0].total) }
}

interface Matched extends BillColumns {
  id: number
  row: number
  trx_id: string
  amount: string
  account: string | null
  at: string | null
  state: MatchState
  bill_id: number | null
  statement_id: number
  taka: string
  account_number: string
  payment_status: 'claimed' | 'approved' | 'rejected'
}

export async function loadStatementPage(id: number, list: ListRequest) {
  const [stored]: StoredStatement[] = await statements().where('s.id', id)
  if (!stored) throw notFound('statement')
  const matches = db
    .from('statement_matches as m')
    .leftJoin('bills as b', 'b.id', 'm.bill_id')
    .where('m.statement_id', id)
    .select('m.*', 'b.number', 'b.external_id', 'b.family')
  const [{ rows, ...facts }, [found], exact] = await Promise.all([
    queryListPage<Matched>(matches, list, statementMatchListDefinition),
    db
      .from('statements as s')
      .leftJoin('statement_formats as f', (join) =>
        join.on('f.operator', 's.operator').andOn('f.fingerprint', 's.fingerprint')
      )
      .where('s.id', id)
      .select('head', 'passed_over', 'unread', 'unknown_terms', 'operation_id', 'terms'),
    listExactlyMatchedBillIds(id),
  ])
  const { head, passed_over: passed, unread, operation_id: operationId } = found
  return {
    facts,
    statement: statementRow(stored),
    columns: stored.columns ?? guessColumns(head),
    head: head as string[],
    passed: { outgoing: 0, failed: 0, before: 0, repeated: 0, wrong: 0, unknown: 0, ...passed },
    unread: unread as StatementPage['unread'],
    unknownTerms: found.unknown_terms as StatementPage['unknownTerms'],
    termAnswers: (found.terms ?? []) as StatementPage['termAnswers'],
    matches: await withSimilar(rows),
    exactBills: exact.length,
    operationId: operationId as string | null,
  }
}

async function withSimilar(rows: Matched[]): Promise<StatementLineRow[]> {
  const unclaimed = rows.filter(({ state }) => state === 'unclaimed')
  const found = await findSimilarTransfers({ lineIds: unclaimed.map(({ id }) => id) })
  const byLine = new Map(found.map((one) => [Number(one.line_id), one]))
  return rows.map((row) => statementLineRow(row, byLine.get(Number(row.id))))
}

function statementLineRow(row: Matched, similar?: SimilarTransfer): StatementLineRow {
  const { trx_id, amount, account, at, state, taka, account_number } = row
  return {
    id: row.id,
    row: row.row,
    trx_id,
    amount,
    account,
    at,
    state,
    claim:
      row.bill_id === null
        ? null
        : {
            bill_id: row.bill_id,
            bill: billName(row),
            family: row.family,
            taka,
            account_number,
            status: row.payment_status,
          },
    similar: similar
      ? {
          bill_id: Number(similar.bill_id),
          bill: billName(similar),
          family: similar.family,
          trx_id: similar.reported_trx_id,
        }
      : null,
  }
}

export async function loadSampleRows(id: number): Promise<string[][]> {
  const { file } = await db.from('statements').where({ id }).select('file').firstOrFail()
  const sample: string[][] = []
  for await (const { cells } of (await readStatementTable(file)).rows) {
    sample.push(cells.map((cell) => cell.slice(0, 60)))
    if (sample.length === SAMPLE_ROWS) break
  }
  return sample
}

export async function listExactlyMatchedBillIds(id: number): Promise<number[]> {
  const rows = await db
    .from('statement_matches')
    .where({ statement_id: id, state: 'exact' })
    .distinct('bill_id')
    .orderBy('bill_id')
  return rows.map((row: { bill_id: number }) => row.bill_id)
}

export async function countApprovedBillsOnStatement(id: number, since: DateTime): Promise<number> {
  const [{ total }] = await db
    .from('statement_lines as l')
    .join('bill_payments as p', 'p.trx_id', 'l.trx_id')
    .where({ 'l.statement_id': id, 'p.status': 'approved' })
    .where('p.decided_at', '>=', since.toSQL()!)
    .countDistinct('p.bill_id as total')
  return Number(total)
}

export async function loadTransferMatches(trxIds: string[]): Promise<TransferMatch[]> {
  if (trxIds.length === 0) return []
  const rows: Matched[] = await db.from('statement_matches').whereIn('trx_id', trxIds)
  const rowsByTransaction = new Map(rows.map((row) => [row.trx_id, row]))
  const failures: { trx_id: string; statement_id: number; status: string }[] = await db
    .from('statement_failed_lines')
    .whereIn('trx_id', trxIds)
    .orderBy('id')
    .select('trx_id', 'statement_id', 'status')
  const failuresByTransaction = new Map(
    failures.map(({ trx_id: id, statement_id, status }) => [
      id,
      { statement_id, status: termLabel(status) },
    ])
  )
  const found = await findSimilarTransfers({ reportedIds: trxIds })
  const similarByTransaction = new Map(
    found.map(({ reported_trx_id: id, statement_id: statement, trx_id }) => [
      id,
      { statement_id: Number(statement), trx_id },
    ])
  )
  return trxIds.map((trxId) => {
    const similar = similarByTransaction.get(trxId) ?? null
    const row = rowsByTransaction.get(trxId)
    const failed = failuresByTransaction.get(trxId) ?? null
    if (!row) return { trx_id: trxId, found: null, failed, similar }
    const { statement_id: statement, state, amount } = row
    return {
      trx_id: trxId,
      found: {
        statement_id: statement,
        state,
        label: matchStates[state],
        amount: new Big(amount).toFixed(2),
      },
      failed: state === 'reversed' ? failed : null,
      similar,
    }
  })
}
