import type { BillFamily } from '#billing/bill_families'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { OperationView } from '#core/contracts/operation_view'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'admin/billing/statements': StatementsPage
    'admin/billing/statement': StatementPage
  }
}

/** Column indexes, from 0; -1 if the statement has no such column. */
export interface StatementColumnIndexes {
  trx_id: number
  amount: number
  account: number
  at: number
  direction: number
  status: number
  /**
   * Index of the currency column. Rows in another currency than that of payments are rejected.
   * Formats saved by an older release have no such index.
   */
  currency?: number
}

/** A column whose terms tell whether a transfer brought money. */
export type TermColumn = 'status' | 'direction'

/** The meaning that staff chose for an unknown term. */
export interface StatementTermAnswer {
  column: TermColumn
  /** Text of the cell. Empty for an empty cell. */
  term: string
  /** Whether transfers with this text in the cell count as received. */
  counts: boolean
}

/** A new or changed answer. `counts: null` withdraws the earlier one. */
export interface StatementTermChange extends Omit<StatementTermAnswer, 'counts'> {
  counts: boolean | null
}

/** A term that Berth does not know. Its rows do not count as received until staff answer. */
export interface UnknownStatementTerm {
  column: TermColumn
  term: string
  /** Number of rows with the term. `rows` lists the first of them. */
  count: number
  rows: number[]
}

export interface StatementRow {
  id: number
  operator: string
  filename: string
  is_read: boolean
  lines: number
  by: string | null
  /** ISO time. */
  created_at: string
}

export interface UnmatchedPaymentRow {
  id: number
  bill_id: number
  bill: string
  family: BillFamily
  trx_id: string
  account_number: string
  taka: string
  /** ISO time. */
  at: string
  failed: string | null
}

export interface StatementsPage extends ListMeta {
  statements: StatementRow[]
  operators: string[]
  missing: UnmatchedPaymentRow[]
  missingCount: number
}

export type MatchState =
  | 'exact'
  | 'part'
  | 'amount'
  | 'account'
  | 'twice'
  | 'rejected'
  | 'unclaimed'
  | 'approved'
  | 'reversed'

export interface StatementLineRow {
  id: number
  /** Row number in the file, from 1. */
  row: number
  trx_id: string
  /** Taka in the statement, two decimals. */
  amount: string
  account: string | null
  /** Time in the operator's own format. */
  at: string | null
  state: MatchState
  /** The payment with this transaction ID. `null`: nobody claimed the transfer. */
  claim: {
    bill_id: number
    bill: string
    family: BillFamily
    taka: string
    account_number: string
    status: 'claimed' | 'approved' | 'rejected'
  } | null
  /**
   * A reported payment with the same amount and payer. Its transaction ID differs only by a typing
   * mistake.
   */
  similar: { bill_id: number; bill: string; family: BillFamily; trx_id: string } | null
}

export interface StatementPage extends ListMeta {
  statement: StatementRow
  head: string[]
  sample: string[][]
  /** Guessed by Berth until staff assign them. */
  columns: StatementColumnIndexes
  matches: StatementLineRow[]
  matchStates: StatusLabels
  /** Rows that were not saved as lines, by reason. */
  passed: Record<'outgoing' | 'failed' | 'before' | 'repeated' | 'wrong' | 'unknown', number>
  unread: { row: number; why: string }[]
  unknownTerms: UnknownStatementTerm[]
  /** Answers that also apply to later statements of the format. */
  termAnswers: StatementTermAnswer[]
  /** Number of bills whose transfers all match exactly. */
  exactBills: number
  operation: OperationView | null
}

export interface TransferMatch {
  trx_id: string
  /** The statement that contains the transfer, or `null`. */
  found: { statement_id: number; state: MatchState; label: string; amount: string } | null
  /** The newest statement row according to which the transfer failed, or `null`. */
  failed: { statement_id: number; status: string } | null
  /**
   * A statement line with the same amount and payer. Its transaction ID differs only by a typing
   * mistake.
   */
  similar: { statement_id: number; trx_id: string } | null
}
