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
  ReceivedSumView,
  BillChargeRow,
  CreditEntryRow,
} from '#billing/transformers/page_props'
export type {
  BillingRunPage,
  MonthComparisonRow,
  RunRow,
} from '#billing/transformers/run_page_props'
export type { BillFamily } from '#billing/bill_families'
export type { SkippedAccount } from '#billing/skipped_account'
export type { BillingOverview } from '#billing/transformers/overview_page_props'
export type {
  StatementLineRow,
  MatchState,
  UnmatchedPaymentRow,
  TransferMatch,
  StatementColumnIndexes,
  StatementPage,
  StatementRow,
  StatementsPage,
  StatementTermAnswer,
  UnknownStatementTerm,
} from '#billing/transformers/statement_page_props'
