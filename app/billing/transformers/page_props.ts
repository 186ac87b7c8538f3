import type { UsagePrices } from '#core/settings/regional_settings'
import type { BillMailType, BillStatus } from '#billing/statuses'
import type { TransferMatch } from '#billing/transformers/statement_page_props'
import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Permission } from '#core/permission'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/billing/list': BillListPage
    'customer/billing/details': BillPage
    'admin/billing/list': AdminBillListPage
    'admin/billing/details': AdminBillPage
    'admin/billing/settings': BillingSettingsPage
  }
}

export interface BillRow {
  id: number
  number: string | null
  user_id: number
  account_number: string | null
  trx_id: string | null
  reference: string | null
  /** Dollars, exact decimal. */
  amount: string
  /** Taka, converted at the bill's rate. */
  amount_taka: string
  /** Unpaid part of `amount_taka`. */
  due_taka: string
  payment_status: BillStatus
  /** ISO date. */
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
  /** Sums in taka. `servers`: server instances. `vaults`: all other resources. */
  totals: { servers: string; vaults: string; all: string }
  /** Transfers of all claims, whatever their status. Oldest first. */
  parts: PaymentTransferRow[]
  /** Dollars. `due_taka` excludes the mobile money fee. */
  due: string
  due_taka: string
  /** Taka per dollar. */
  rate: string
  rate_frozen: boolean
  /** Day of the frozen rate. `null` if none is frozen, and in older bills. */
  rate_day: string | null
}

interface Printable {
  credits: { number: string; note: string | null }[]
}

/** Charges of the current month so far, in the billing time zone. */
export interface MonthToDate {
  /** `2026-10` */
  month: string
  services: { source: string; type: string; name: string; bill_type: string; cost_taka: string }[]
  /** In the currency of the regional settings. */
  total: string
  /** Members are notified when the month's charges reach this amount. In the same currency. Null: no alert. */
  alert: string | null
  crossed: boolean
}

export interface BillListPage extends ListMeta {
  bills: BillRow[]
  soFar: MonthToDate
  paymentStatus: StatusLabels
  /** Dollars of credit that the next bill will use. */
  credit: string
  /** Newest first. */
  creditEntries: CreditEntryRow[]
}

/** A credit, or a refund that paid out credit. `used_on`: the bill that contains it. */
export interface CreditEntryRow {
  id: number
  /** ISO time. */
  at: string
  reason: string
  /** Dollars; negative for a payout. */
  amount: string
  used_on: { id: number; number: string } | null
}

export interface BillPage extends Details, Printable {
  bill: BillRow
  paymentStatus: StatusLabels
  canPay: Permission
  /** Taka for the whole amount due, including the fee. */
  totalPayable: string
  /** Fee in percent: `1.75`; `0` for none. */
  feePercent: string
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
  /** ISO time of the last email. */
  sent_at: string | null
  reason: string | null
}

/** Taka of the transfers that await approval. Present only if statements show another amount. */
export interface ReceivedSumView {
  reported: string
  received: string
}

export interface AdminBillPage extends Details, Printable {
  bill: AdminBillRow
  paymentStatus: StatusLabels
  emails: BillMailState[]
  canReduce: Permission
  canCredit: Permission
  canEnterPayment: Permission
  difference: ReceivedSumView | null
  next: number | null
  statements: TransferMatch[]
}

export interface ExchangeRateRow {
  /** First day on which the rate applies. */
  effective_from: string
  /** Taka per dollar. */
  rate: string
  by: string | null
}

export interface BillingSettingsPage {
  rates: ExchangeRateRow[]
  /** ISO date in the billing time zone. */
  today: string
  settings: {
    merchant_account: string
    seller_name: string
    seller_address: string
    seller_bin: string
    seller_vat: string
  }
  regional: {
    currency: string
    symbol: string
    /**
     * The symbol on documents: `symbol`, or the currency's code if the documents' font lacks the
     * symbol.
     */
    document_symbol: string
    digits: number
    time_zone: string
    /** `null`: `time_zone` applies to billing too. */
    billing_time_zone: string | null
    fee_percent: string
    days_to_pay: number
    /** In dollars. */
    prices: UsagePrices
  }
}
