import type { PackagePrice, Specifications } from '#catalog/models/server_package'
import { formatDollarAmount } from '#core/money'

export interface PackageTerms {
  specifications: Specifications
  pricing: PackagePrice[]
}

/** A changed term of a package. `before` is `null` for an added term, `after` is `null` for a removed one. */
export interface TermsChange {
  label: string
  before: string | null
  after: string | null
}

export function listTermsChanges(before: PackageTerms, after: PackageTerms): TermsChange[] {
  const [earlier, later] = [termsAsText(before), termsAsText(after)]
  return [...new Set([...earlier.keys(), ...later.keys()])]
    .map((label) => ({
      label,
      before: earlier.get(label) ?? null,
      after: later.get(label) ?? null,
    }))
    .filter((line) => line.before !== line.after)
}

/** Returns the terms as text by label. Equal values have equal texts, for example 5.0 and 5.00 dollars. */
function termsAsText({ specifications, pricing }: PackageTerms): Map<string, string> {
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
