import type { BillingPeriod } from '#catalog/models/server_package'
import { BUSINESS_TIME_ZONE } from '#core/business_time_zone'
import type { DateTime } from 'luxon'

/**
 * The first renewal after a moment. Renewals are counted in the calendar of the business from the
 * anchor, never from the one before: what began on 31 January renews on 28 February and then on
 * 31 March, what began on 29 February on 28 February of common years.
 * @param anchor when the first period began
 */
export function nextRenewal(anchor: DateTime, period: BillingPeriod, after: DateTime): DateTime {
  const first = anchor.setZone(BUSINESS_TIME_ZONE)
  const renewal = (count: number) => first.plus({ [period]: count })
  let count = Math.max(1, Math.floor(after.diff(first, period).as(period)))
  while (count > 1 && renewal(count - 1) > after) count--
  while (renewal(count) <= after) count++
  return renewal(count)
}
