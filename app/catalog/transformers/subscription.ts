import type { BillingPeriod } from '#catalog/models/server_package'
import type Subscription from '#catalog/models/subscription'

/** What was agreed, as pages get it; times are ISO, amounts US dollars. */
export interface SubscriptionView {
  /** The number of the package's version. */
  version: number
  period: BillingPeriod
  /** For the first period, and for each later one. */
  price: string
  renewal_price: string
  started_at: string
  renews_at: string
  ended_at: string | null
}

/** Needs `packageVersion` loaded. */
export function subscriptionView(row: Subscription): SubscriptionView {
  return {
    version: row.packageVersion.number,
    period: row.period,
    price: row.price,
    renewal_price: row.renewalPrice,
    started_at: row.startedAt.toISO()!,
    renews_at: row.renewsAt.toISO()!,
    ended_at: row.endedAt?.toISO() ?? null,
  }
}
