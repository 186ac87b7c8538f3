import type { PackagePrice, Specifications } from '#catalog/models/server_package'
import { formatDollarAmount } from '#core/money'

export interface ResourcesAndPrices {
  specifications: Specifications
  pricing: PackagePrice[]
}

/** `before`: `null` for a new line. `after`: `null` for a removed line. */
export interface ResourceOrPriceChange {
  label: string
  before: string | null
  after: string | null
}

export function listResourceAndPriceChanges(
  before: ResourcesAndPrices,
  after: ResourcesAndPrices
): ResourceOrPriceChange[] {
  const [earlier, later] = [resourcesAndPricesAsText(before), resourcesAndPricesAsText(after)]
  return [...new Set([...earlier.keys(), ...later.keys()])]
    .map((label) => ({
      label,
      before: earlier.get(label) ?? null,
      after: later.get(label) ?? null,
    }))
    .filter((line) => line.before !== line.after)
}

/** Returns resources and prices as text. Equal values have equal texts: 5.0 and 5.00 dollars. */
function resourcesAndPricesAsText({
  specifications,
  pricing,
}: ResourcesAndPrices): Map<string, string> {
  const { vcpu, ram, storage, bandwidth, processes, backups } = specifications
  const labels = new Map([
    ['vCPU', String(vcpu.value)],
    ['RAM', `${ram.value} ${ram.unit}`],
    ['Storage', `${storage.value} ${storage.unit} ${storage.type}`],
    ['Bandwidth', `${bandwidth.value} ${bandwidth.unit}`],
  ])
  if (backups) labels.set('Backups', backups.value)
  if (processes) labels.set('Processes', String(processes.value))
  for (const { period, price, renew, billing_cycle: cycle } of pricing) {
    labels.set(`Price per ${period}`, formatDollarAmount(price))
    labels.set(`Renewal per ${period}`, formatDollarAmount(renew))
    labels.set(`Billing cycle of the ${period}`, String(cycle))
  }
  return labels
}
