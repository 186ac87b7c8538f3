import type { PackageView } from './types'

export type Series = PackageView['server_series']
export type Period = PackageView['pricing'][number]['period']

/** The filter that a new order begins with (customer specification, section 9). */
export const DEFAULT_SERIES: Series = 'bronze'

export const periods: { key: Period; label: string; per: string }[] = [
  { key: 'month', label: 'Month', per: 'month' },
  { key: 'year', label: 'Year', per: 'year' },
]

/** What is being chosen. */
export interface Choice {
  instance_type: PackageView['instance_type']
  series: Series
  billing_period: Period
  server_package_id: number | null
}

export function priceOf(option: PackageView, period: Period) {
  return option.pricing.find((price) => price.period === period) ?? null
}

/** The series that exist for a type of instance, in the order of the catalogue. */
export function seriesOf(packages: PackageView[], type: PackageView['instance_type']): Series[] {
  const found = packages.filter(({ instance_type: one }) => one === type)
  return [...new Set(found.map(({ server_series: series }) => series))]
}

/** The packages that a choice leaves: of its type and series, with a price for its period. */
export function packagesFor(packages: PackageView[], choice: Choice) {
  return packages.filter(
    (option) =>
      option.instance_type === choice.instance_type &&
      option.server_series === choice.series &&
      priceOf(option, choice.billing_period)
  )
}

/** The package chosen, or the first that is left once another filter has hidden it. */
export function chosenPackage(packages: PackageView[], choice: Choice): PackageView | null {
  const left = packagesFor(packages, choice)
  return left.find(({ id }) => id === choice.server_package_id) ?? left[0] ?? null
}
