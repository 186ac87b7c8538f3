import type { BillingPeriod } from '#catalog/models/server_package'
import { billingTimeZone } from '#core/settings/regional_settings'
import type { DateTime } from 'luxon'

/**
 * Returns the first renewal after a time, in the billing time zone. It counts months from the anchor, not from the
 * previous renewal: 31 January is followed by 28 February and 31 March.
 * @param anchor when the first period began
 */
export function nextRenewal(anchor: DateTime, period: BillingPeriod, after: DateTime): DateTime {
  const first = anchor.setZone(billingTimeZone())
  const renewal = (count: number) => first.plus({ [period]: count })
  let count = Math.max(1, Math.floor(after.diff(first, period).as(period)))
  while (count > 1 && renewal(count - 1) > after) count--
  while (renewal(count) <= after) count++
  return renewal(count)
}
