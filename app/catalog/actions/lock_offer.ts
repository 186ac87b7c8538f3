import { NO_PRICES_MESSAGE, priceChanged, termsChanged } from '#catalog/errors'
import PackageVersion from '#catalog/models/package_version'
import ServerPackage, {
  type BillingPeriod,
  type PackagePrice,
} from '#catalog/models/server_package'
import { listResourceAndPriceChanges } from '#catalog/resources_and_prices'
import { sameAmount } from '#core/money'
import { conflict, invalid } from '#core/app_error'
import { hasDollarRate, loadDollarRate } from '#core/settings/dollar_rate'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface LockedOffer {
  row: ServerPackage
  version: PackageVersion
}

/**
 * Returns a package and its current version if the package is on sale, otherwise `null`. Locks the package until the
 * transaction ends.
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
 * @param seen version number that the buyer was shown; default: the present one
 * @throws 422 if the package is not sold for that period, or has no version `seen`; `price_changed` or
 * `terms_changed` (409) if the buyer was shown other resources or prices; 409 if no dollar rate is set
 */
export async function assertPriceUnchanged(
  { row, version }: LockedOffer,
  period: BillingPeriod,
  seen: number | undefined,
  trx: TransactionClientContract
): Promise<PackagePrice> {
  const price = priceFor(version, period)
  if (!price)
    throw invalid({
      billing_period: `This package has no ${period}ly price. Choose the other billing period or another package.`,
    })
  if (!(await hasDollarRate(trx))) throw conflict(NO_PRICES_MESSAGE)
  if (seen === undefined || seen === version.number) return price
  const shown = await PackageVersion.query({ client: trx })
    .where({ serverPackageId: row.id, number: seen })
    .first()
  if (!shown) throw invalid({ package_version: 'This package version does not exist.' })
  const before = priceFor(shown, period)
  if (!before || !sameAmount(before.price, price.price) || !sameAmount(before.renew, price.renew)) {
    throw priceChanged(row.name, price, await loadDollarRate(trx))
  }
  const changes = listResourceAndPriceChanges(
    { specifications: shown.specifications, pricing: [before] },
    { specifications: version.specifications, pricing: [price] }
  )
  if (changes.length > 0) throw termsChanged(row.name, changes)
  return price
}

export function priceFor({ pricing }: Pick<PackageVersion, 'pricing'>, period: BillingPeriod) {
  return pricing.find((price) => price.period === period) ?? null
}
