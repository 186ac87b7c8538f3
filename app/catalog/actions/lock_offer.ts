import { priceChanged, termsChanged } from '#catalog/errors'
import PackageVersion from '#catalog/models/package_version'
import ServerPackage, { type BillingPeriod, type Price } from '#catalog/models/server_package'
import { listTermsChanges } from '#catalog/package_terms'
import { sameAmount } from '#core/money'
import { invalid } from '#core/app_error'
import { loadDollarRate } from '#core/settings/dollar_rate'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** A package that is being bought, with the version that is sold now. */
export interface LockedOffer {
  row: ServerPackage
  version: PackageVersion
}

/**
 * A package as it is offered; nobody edits it until the transaction ends. Null where it is not
 * offered.
 */
export async function lockOffer(
  serverPackageId: number,
  trx: TransactionClientContract
): Promise<LockedOffer | null> {
  const row = await ServerPackage.query({ client: trx })
    .where({ id: serverPackageId, offered: true })
    .forShare()
    .first()
  if (!row) return null
  const version = await PackageVersion.query({ client: trx })
    .where({ serverPackageId, number: row.version })
    .firstOrFail()
  return { row, version }
}

/**
 * The price at which it is sold by a period.
 * @param seen the number of the version that the buyer was shown; without one the price is as it is now
 * @throws 422 where it is not sold by that period; `price_changed` or `terms_changed` (409) where the
 * buyer was shown something else
 */
export async function assertPriceUnchanged(
  { row, version }: LockedOffer,
  period: BillingPeriod,
  seen: number | undefined,
  trx: TransactionClientContract
): Promise<Price> {
  const price = priceFor(version, period)
  if (!price) throw invalid({ billing_period: `This package is not available per ${period}.` })
  if (seen === undefined || seen === version.number) return price
  const shown = await PackageVersion.query({ client: trx })
    .where({ serverPackageId: row.id, number: seen })
    .first()
  if (!shown) throw invalid({ package_version: 'This package version does not exist.' })
  const before = priceFor(shown, period)
  if (!before || !sameAmount(before.price, price.price) || !sameAmount(before.renew, price.renew)) {
    throw priceChanged(row.name, price, await loadDollarRate(trx))
  }
  const changes = listTermsChanges(
    { specifications: shown.specifications, pricing: [before] },
    { specifications: version.specifications, pricing: [price] }
  )
  if (changes.length > 0) throw termsChanged(row.name, changes)
  return price
}

/** What a version costs by a period; null where it is not sold by it. */
export function priceFor({ pricing }: Pick<PackageVersion, 'pricing'>, period: BillingPeriod) {
  return pricing.find((price) => price.period === period) ?? null
}
