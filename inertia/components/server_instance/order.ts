import { statusLabel } from '@ui/status_label'
import type { OfferView, PackageView } from './types'

export type Series = OfferView['server_series']
export type Period = OfferView['pricing'][number]['period']

/** The filter that a new order begins with (product, "Machines"). */
export const DEFAULT_SERIES: Series = 'bronze'

export const periods: { key: Period; label: string; per: string }[] = [
  { key: 'month', label: 'Month', per: 'month' },
  { key: 'year', label: 'Year', per: 'year' },
]

/** What is being chosen. */
export interface Choice {
  instance_type: OfferView['instance_type']
  series: Series
  billing_period: Period
  server_package_id: number | null
}

export function priceOf(option: PackageView, period: Period) {
  return option.pricing.find((price) => price.period === period) ?? null
}

/** The series that exist for a type of instance, in the order of the catalogue. */
export function seriesOf(packages: OfferView[], type: OfferView['instance_type']): Series[] {
  const found = packages.filter(({ instance_type: one }) => one === type)
  return [...new Set(found.map(({ server_series: series }) => series))]
}

/** The packages that a choice leaves: of its type and series, with a price for its period. */
export function packagesFor(packages: OfferView[], choice: Choice) {
  return packages.filter(
    (option) =>
      option.instance_type === choice.instance_type &&
      option.server_series === choice.series &&
      priceOf(option, choice.billing_period)
  )
}

/**
 * The package chosen, or the first with room where another filter has hidden it. One that was
 * chosen and sold out meanwhile is not exchanged for another behind somebody's back.
 */
export function selectedPackage(packages: OfferView[], choice: Choice): OfferView | null {
  const left = packagesFor(packages, choice)
  const chosen = left.find(({ id }) => id === choice.server_package_id)
  const found = chosen ?? left.find(({ room }) => room.allowed)
  return found?.room.allowed ? found : null
}

/** Where there is room when what was chosen has none, in words and as a change of the choice. */
export interface SeriesWithRoom {
  words: string
  change: Pick<Choice, 'instance_type' | 'series'>
}

/** The next series with room, of the other type where this one has none; null where nothing has. */
export function findSeriesWithRoom(packages: OfferView[], choice: Choice): SeriesWithRoom | null {
  const open = packages.filter(
    (option) => option.room.allowed && priceOf(option, choice.billing_period)
  )
  const { instance_type: type } = choice
  const found = open.find(({ instance_type: one }) => one === type) ?? open[0]
  if (!found) return null
  const { instance_type: other, server_series: series } = found
  const name = other === type ? statusLabel(series) : `${statusLabel(other)} ${statusLabel(series)}`
  return { words: name, change: { instance_type: other, series } }
}
