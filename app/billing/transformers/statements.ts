import type { BillFamily } from '#billing/bill_families'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { OperationView } from '#core/models/operation'

declare module '#core/page_props' {
  interface Pages {
    'admin/billing/statements': StatementsPage
    'admin/billing/statement': StatementPage
  }
}

/** Places of columns in a statement, from 0 on; -1 where it has none. */
export interface StatementColumns {
  trx_id: number
  /** What came in. */
  amount: number
  /** Who sent it. */
  account: number
  at: number
  /** Debit or credit. */
  direction: number
  status: number
}

export interface StatementRow {
  id: number
  operator: string
  filename: string
  /** Whether it is known which column is which. */
  is_read: boolean
  lines: number
  by: string | null
  /** ISO time. */
  created_at: string
}

/** A payment that waits and that no statement has. */
export interface UnmatchedPaymentRow {
  id: number
  bill_id: number
  bill: string
  family: BillFamily
  trx_id: string
  account_number: string
  /** As sent. */
  taka: string
  /** ISO time. */
  at: string
}

export interface StatementsPage extends ListMeta {
  statements: StatementRow[]
  operators: string[]
  /** The oldest of them. */
  missing: UnmatchedPaymentRow[]
  missingCount: number
}

export type MatchState =
  'exact' | 'part' | 'amount' | 'account' | 'twice' | 'rejected' | 'unclaimed' | 'approved'

export interface MatchRow {
  id: number
  /** In the file, from 1 on. */
  row: number
  trx_id: string
  /** Taka as the operator has it, two decimals. */
  amount: string
  account: string | null
  /** As the operator writes it. */
  at: string | null
  state: MatchState
  /** What is claimed; null where nobody did. */
  claim: {
    bill_id: number
    bill: string
    family: BillFamily
    taka: string
    account_number: string
    status: 'claimed' | 'approved' | 'rejected'
  } | null
}

export interface StatementPage extends ListMeta {
  statement: StatementRow
  /** Names of its columns, and its first rows. */
  head: string[]
  sample: string[][]
  /** As staff said, or as it is guessed. */
  columns: StatementColumns
  matches: MatchRow[]
  matchStates: StatusLabels
  /** Rows that are no line of its own. */
  passed: { outgoing: number; failed: number; before: number; wrong: number }
  unread: { row: number; why: string }[]
  /** Bills that all of whose transfers are exact. */
  exactBills: number
  operation: OperationView | null
}

/** What statements say of a transfer that is claimed. */
export interface TransferMatch {
  trx_id: string
  /** Null where no statement has it. */
  found: { statement_id: number; state: MatchState; label: string; amount: string } | null
}
