export type {
  AdminBillListPage,
  AdminBillPage,
  AdminBillRow,
  BillingSettingsPage,
  BillListPage,
  BillPage,
  BillRow,
  BillMailState,
  MonthToDate,
  PaymentTransferRow,
  BillChargeRow,
} from '#billing/transformers/page_props'
export type { BillingRunPage, MonthComparisonRow, RunRow } from '#billing/transformers/runs'
export type { BillFamily } from '#billing/bill_families'
export type { SkippedAccount } from '#billing/models/billing_run'
export type { BillingOverview } from '#billing/transformers/overview'
export type {
  MatchRow,
  MatchState,
  UnmatchedPaymentRow,
  TransferMatch,
  StatementColumns,
  StatementPage,
  StatementRow,
  StatementsPage,
} from '#billing/transformers/statements'
