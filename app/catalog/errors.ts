import type { PackagePrice } from '#catalog/models/server_package'
import type { ResourceOrPriceChange } from '#catalog/resources_and_prices'
import { formatTaka, sameAmount, dollarsToTaka } from '#core/money'
import { AppError } from '#core/app_error'

const REVIEW_OFFER_MESSAGE =
  'Nothing was ordered or changed. Check the current offer and try again.'

export const NO_PRICES_MESSAGE =
  'Prices are not available right now, because no dollar rate is set. Ask support.'

/** @param rate taka per dollar */
export function priceChanged(
  name: string,
  { period, price, renew }: PackagePrice,
  rate: string
): AppError {
  const first = formatTaka(dollarsToTaka(price, rate))
  const later = `${formatTaka(dollarsToTaka(renew, rate))} per ${period}`
  const now = sameAmount(price, renew) ? later : `${first} for the first ${period}, then ${later}`
  return new AppError(
    'price_changed',
    409,
    `The price has changed: ${name} now costs ${now}. ${REVIEW_OFFER_MESSAGE}`
  )
}

/** For an equal price, but other resources than those shown. */
export function termsChanged(name: string, changes: ResourceOrPriceChange[]): AppError {
  const now = changes.map(
    ({ label, before, after }) => `${label} ${after ?? 'none'} (was ${before ?? 'none'})`
  )
  return new AppError(
    'terms_changed',
    409,
    `The package ${name} has changed: ${now.join(', ')}. ${REVIEW_OFFER_MESSAGE}`
  )
}
