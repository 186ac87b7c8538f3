import type { BillFamily } from '#billing/bill_families'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'admin/billing/overview': BillingOverview
  }
}

/**
 * Sums of a month in the billing time zone. Amounts are exact decimals. The suffix of a field is
 * its currency.
 */
export interface MonthRow {
  /** `2026-10` */
  month: string
  billed_usd: string
  /** Payments minus refunds. */
  paid_usd: string
  billed_bdt: string
  paid_bdt: string
  new_customers: number
  lost_customers: number
}

export interface BillingOverview {
  /** Last twelve months, oldest first. */
  months: MonthRow[]
  /** Bills under review; `oldest` is an ISO time. */
  waiting: { family: BillFamily; bills: number; oldest: string }[]
  /** Overdue bills by age: up to 7 days, up to 30, older. `due` is in dollars. */
  overdue: { age: 'week' | 'month' | 'older'; bills: number; due: string }[]
}
