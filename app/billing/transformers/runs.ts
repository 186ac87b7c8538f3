import type { SkippedAccount } from '#billing/models/billing_run'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { OperationView } from '#core/models/operation'

declare module '#core/page_props' {
  interface Pages {
    'admin/billing/run': BillingRunPage
  }
}

/** What a run would make now; dollars, exact. */
export interface RunPreview {
  bills: number
  total: string
  services: { type: string; bill_type: string; lines: number; cost: string }[]
  skipped: SkippedAccount[]
}

/** An account's month beside the one before; dollars, exact. */
export interface MonthComparisonRow {
  account_id: number
  name: string
  before: string
  now: string
  change: 'new' | 'gone' | 'up' | 'down' | 'same'
}

export interface RunRow {
  id: number
  /** ISO day of Berth's own runs. */
  day: string | null
  status: 'running' | 'done' | 'failed'
  error: string | null
  by: string | null
  skipped: SkippedAccount[]
  bills: number
  /** Dollars, exact. */
  total: string
  /** ISO times. */
  created_at: string
  ended_at: string | null
}

export interface BillingRunPage extends ListMeta {
  preview: RunPreview
  accounts: MonthComparisonRow[]
  changes: StatusLabels
  /** From which share on an account counts as up or down. */
  percents: string[]
  runs: RunRow[]
  /** The run that goes on. */
  operation: OperationView | null
}
