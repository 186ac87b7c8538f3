import { statusLabel } from '@ui/status_label'
import type { PackageWithAvailabilityView, PackageView } from './types'

export type PackageSeries = PackageWithAvailabilityView['server_series']
export type BillingPeriod = PackageWithAvailabilityView['pricing'][number]['period']

/** Default that the specification requires (docs/conformance.md, C9.8). */
export const DEFAULT_SERIES: PackageSeries = 'bronze'

export const billingPeriods: { key: BillingPeriod; label: string; per: string }[] = [
  { key: 'month', label: 'Month', per: 'month' },
  { key: 'year', label: 'Year', per: 'year' },
]

export interface OrderSelection {
  instance_type: PackageWithAvailabilityView['instance_type']
  series: PackageSeries
  billing_period: BillingPeriod
  server_package_id: number | null
}

export function findPrice(option: PackageView, period: BillingPeriod) {
  return option.pricing.find((price) => price.period === period) ?? null
}

export function listSeries(
  packages: PackageWithAvailabilityView[],
  type: PackageWithAvailabilityView['instance_type']
): PackageSeries[] {
  const ofType = packages.filter(({ instance_type: one }) => one === type)
  return [...new Set(ofType.map(({ server_series: series }) => series))]
}

export function matchingPackages(packages: PackageWithAvailabilityView[], choice: OrderSelection) {
  return packages.filter(
    (option) =>
      option.instance_type === choice.instance_type &&
      option.server_series === choice.series &&
      findPrice(option, choice.billing_period)
  )
}

/**
 * Returns the package to order. If the selected package has sold out meanwhile, returns null, because another package
 * must not be ordered silently. If no package is selected, or a filter hides it, returns the first available one.
 */
export function selectedPackage(
  packages: PackageWithAvailabilityView[],
  choice: OrderSelection
): PackageWithAvailabilityView | null {
  const left = matchingPackages(packages, choice)
  const selected = left.find(({ id }) => id === choice.server_package_id)
  const selectable = selected ?? left.find(({ room }) => room.allowed)
  return selectable?.room.allowed ? selectable : null
}

/** A series with an available package, perhaps of the other instance type, when the selected series is sold out. */
export interface AvailableSeries {
  label: string
  change: Pick<OrderSelection, 'instance_type' | 'series'>
}

export function findAvailableSeries(
  packages: PackageWithAvailabilityView[],
  choice: OrderSelection
): AvailableSeries | null {
  const open = packages.filter(
    (option) => option.room.allowed && findPrice(option, choice.billing_period)
  )
  const { instance_type: type } = choice
  const match = open.find(({ instance_type: one }) => one === type) ?? open[0]
  if (!match) return null
  const { instance_type: other, server_series: series } = match
  const name = other === type ? statusLabel(series) : `${statusLabel(other)} ${statusLabel(series)}`
  return { label: name, change: { instance_type: other, series } }
}
