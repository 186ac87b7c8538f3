import type { SkippedAccount } from '#billing/skipped_account'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { OperationView } from '#core/contracts/operation_view'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'admin/billing/run': BillingRunPage
  }
}

/** Amounts are exact decimals, in dollars. */
export interface RunPreview {
  bills: number
  total: string
  services: { type: string; bill_type: string; lines: number; cost: string }[]
  skipped: SkippedAccount[]
}

/** Charges of two months in dollars, exact decimals. */
export interface MonthComparisonRow {
  account_id: number
  name: string
  before: string
  now: string
  change: 'new' | 'gone' | 'up' | 'down' | 'same'
}

export interface RunRow {
  id: number
  /** ISO date of an automatic run. */
  day: string | null
  status: 'running' | 'done' | 'failed'
  error: string | null
  by: string | null
  skipped: SkippedAccount[]
  bills: number
  /** Total in taka. Each bill is converted at its own rate. */
  total: string
  /** ISO times. */
  created_at: string
  ended_at: string | null
}

export interface BillingRunPage extends ListMeta {
  preview: RunPreview
  accounts: MonthComparisonRow[]
  changes: StatusLabels
  percents: string[]
  runs: RunRow[]
  operation: OperationView | null
}
