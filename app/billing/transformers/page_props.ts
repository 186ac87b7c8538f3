import type { BillMailType, BillStatus } from '#billing/statuses'
import type { TransferMatch } from '#billing/transformers/statements'
import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Permission } from '#core/permission'

declare module '#core/page_props' {
  interface Pages {
    'customer/billing/list': BillListPage
    'customer/billing/details': BillPage
    'admin/billing/list': AdminBillListPage
    'admin/billing/details': AdminBillPage
    'admin/billing/settings': BillingSettingsPage
  }
}

/** A bill as lists show it (product, "Money"). */
export interface BillRow {
  id: number
  number: string | null
  /** The account's id. */
  user_id: number
  account_number: string | null
  trx_id: string | null
  reference: string | null
  /** Dollars, exact. */
  amount: string
  /** In taka, two decimals, at the rate that counts for it. */
  amount_taka: string
  payment_status: BillStatus
  /** ISO day. */
  billing_date: string
  due_date: string | null
  note: string | null
}

export interface AdminBillRow extends BillRow {
  customer: CustomerSummary | null
}

export interface BillChargeRow {
  id: number
  type: string
  name: string
  bill_type: string
  billing_period: string
  /** Dollars, exact. */
  cost: string
  cost_taka: string
}

export interface PaymentTransferRow {
  id: number
  trx_id: string
  account_number: string
  taka: string
  status: 'claimed' | 'approved' | 'rejected'
  at: string
}

interface Details {
  services: BillChargeRow[]
  /** Taka: of the things of type server_instance, of all others, and of everything. */
  totals: { servers: string; vaults: string; all: string }
  /** Transfers that were claimed, oldest first. */
  parts: PaymentTransferRow[]
  /** Dollars that are left to pay, and the same in taka without the charge. */
  due: string
  due_taka: string
  /** The rate that the bill is shown at. */
  rate: string
}

interface Printable {
  /** Numbers of the credit notes on it. */
  credits: string[]
}

/** What a month of the calendar of the business has come to until now, as it would be charged. */
export interface MonthToDate {
  /** `2026-10` */
  month: string
  services: { source: string; type: string; name: string; bill_type: string; cost_taka: string }[]
  /** Taka, of everything. */
  total: string
  /** Taka from which the customer wants to be told; null where they do not. */
  alert: string | null
  crossed: boolean
}

export interface BillListPage extends ListMeta {
  bills: BillRow[]
  soFar: MonthToDate
  paymentStatus: StatusLabels
  /** Dollars that the next bill takes up; 0 for none. */
  credit: string
}

export interface BillPage extends Details, Printable {
  bill: BillRow
  paymentStatus: StatusLabels
  canPay: Permission
  /** To be sent for all that is left, 1.75 % included; taka. */
  totalPayable: string
  merchantAccount: string
}

export interface AdminBillListPage extends ListMeta {
  bills: AdminBillRow[]
  paymentStatus: StatusLabels
}

export interface BillMailState {
  mail_type: BillMailType
  label: string
  sent: boolean
  /** ISO time of the last one. */
  sent_at: string | null
  /** Why it cannot be sent now. */
  reason: string | null
}

export interface AdminBillPage extends Details, Printable {
  bill: AdminBillRow
  paymentStatus: StatusLabels
  emails: BillMailState[]
  canReduce: Permission
  /** The next bill that waits for a decision. */
  next: number | null
  statements: TransferMatch[]
}

export interface RateRow {
  /** ISO day from which it counts. */
  effective_from: string
  /** Taka for one dollar. */
  rate: string
  by: string | null
}

export interface BillingSettingsPage {
  rates: RateRow[]
  /** Today, in the calendar of the business. */
  today: string
  settings: {
    merchant_account: string
    seller_name: string
    seller_address: string
    seller_bin: string
    seller_vat: string
  }
}
