import type { BillingPeriod } from '#catalog/models/server_package'
import type Subscription from '#catalog/models/subscription'

/** Times are in ISO format, amounts in US dollars. */
export interface SubscriptionView {
  version: number
  period: BillingPeriod
  /** Price of the first period. Later periods cost `renewal_price`. */
  price: string
  renewal_price: string
  started_at: string
  renews_at: string
  ended_at: string | null
}

/** The row must have `packageVersion` preloaded. */
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
