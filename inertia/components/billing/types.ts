export type {
  AdminBillListPage,
  AdminBillPage,
  AdminBillRow,
  BillingSettingsPage,
  BillListPage,
  BillPage,
  BillRow,
  CourierBillListPage,
  CourierBillPage,
  CourierBillRow,
  CourierEventRow,
  CourierEventsPage,
  MailCard,
  MonthSoFar,
  PartRow,
  ServiceRow,
} from '#billing/transformers/pages'
export type { BillingRunPage, ComparedRow, RunRow } from '#billing/transformers/runs'
export type { Skipped } from '#billing/models/billing_run'
export type { BillingOverview } from '#billing/transformers/overview'
