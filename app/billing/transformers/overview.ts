import type { BillFamily } from '#billing/bill_families'

declare module '#core/page_props' {
  interface Pages {
    'admin/billing/overview': BillingOverview
  }
}

/** A month of the business's calendar; amounts exact, in the currency that their name ends with. */
export interface MonthRow {
  /** `2026-10` */
  month: string
  billed_usd: string
  /** Less what was paid out. */
  paid_usd: string
  billed_bdt: string
  paid_bdt: string
  new_customers: number
  lost_customers: number
}

export interface BillingOverview {
  /** Twelve, oldest first. */
  months: MonthRow[]
  /** Bills that wait for a decision; `oldest` is an ISO time. */
  waiting: { family: BillFamily; bills: number; oldest: string }[]
  /** Bills whose day has passed: by up to 7 days, up to 30, and more; dollars that are left. */
  overdue: { age: 'week' | 'month' | 'older'; bills: number; due: string }[]
}
