import type PackageVersion from '#catalog/models/package_version'
import type ServerPackage from '#catalog/models/server_package'
import type { InstanceType, PackagePrice, Specifications } from '#catalog/models/server_package'
import type { ResourceOrPriceChange } from '#catalog/resources_and_prices'
import type { Permission } from '#core/permission'

/** A package as pages show it, with either the version on sale or the version that a customer has. */
export interface PackageView {
  id: number
  name: string
  instance_type: InstanceType
  server_series: 'bronze' | 'silver' | 'gold'
  specifications: Specifications
  /** US dollars, exact decimals; pages show taka. */
  pricing: PackagePrice[]
  version: number
  offered: boolean
}

export interface PackageWithAvailability {
  row: ServerPackage
  room: Permission
}

export interface PackageWithAvailabilityView extends PackageView {
  room: Permission
}

export function packageWithAvailabilityView({
  row,
  room,
}: PackageWithAvailability): PackageWithAvailabilityView {
  return { ...packageView(row), room }
}

export interface VersionView {
  number: number
  /** ISO time. */
  at: string
  by: string | null
  instances: number
  /** Changes since the version before; `null` for the first. */
  changes: ResourceOrPriceChange[] | null
}

/** @param sold version that a customer has; default: the version on sale */
export function packageView(row: ServerPackage, sold?: PackageVersion): PackageView {
  return {
    id: row.id,
    name: row.name,
    instance_type: row.instanceType,
    server_series: row.serverSeries,
    specifications: (sold ?? row).specifications,
    pricing: (sold ?? row).pricing,
    version: sold ? sold.number : row.version,
    offered: row.offered,
  }
}
