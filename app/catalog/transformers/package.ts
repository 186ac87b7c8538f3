import type ServerPackage from '#catalog/models/server_package'
import type { InstanceType, Price, Specifications } from '#catalog/models/server_package'
import type { Verdict } from '#core/verdict'

/** A package as pages get it (product, "Machines"). */
export interface PackageView {
  id: number
  name: string
  instance_type: InstanceType
  server_series: 'bronze' | 'silver' | 'gold'
  specifications: Specifications
  /** US dollars, exact decimals; pages show taka. */
  pricing: Price[]
  /** Whether it can be ordered today. */
  offered: boolean
}

/** A package with whether there is room for it now. */
export interface Offer {
  row: ServerPackage
  room: Verdict
}

export interface OfferView extends PackageView {
  /** Whether any host that it may go to has room now; where none has, why. */
  room: Verdict
}

export function offerView({ row, room }: Offer): OfferView {
  return { ...packageView(row), room }
}

export function packageView(row: ServerPackage): PackageView {
  return {
    id: row.id,
    name: row.name,
    instance_type: row.instanceType,
    server_series: row.serverSeries,
    specifications: row.specifications,
    pricing: row.pricing,
    offered: row.offered,
  }
}
