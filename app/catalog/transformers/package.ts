import type PackageVersion from '#catalog/models/package_version'
import type ServerPackage from '#catalog/models/server_package'
import type { InstanceType, Price, Specifications } from '#catalog/models/server_package'
import type { TermsChange } from '#catalog/package_terms'
import type { Permission } from '#core/permission'

/** A package as pages get it (product, "Machines"): as it is sold now, or as somebody has it. */
export interface PackageView {
  id: number
  name: string
  instance_type: InstanceType
  server_series: 'bronze' | 'silver' | 'gold'
  specifications: Specifications
  /** US dollars, exact decimals; pages show taka. */
  pricing: Price[]
  /** The number of the version that this is. */
  version: number
  /** Whether it can be ordered today. */
  offered: boolean
}

/** A package with whether there is room for it now. */
export interface PackageWithAvailability {
  row: ServerPackage
  room: Permission
}

export interface PackageWithAvailabilityView extends PackageView {
  /** Whether any host that it may go to has room now; where none has, why. */
  room: Permission
}

export function packageWithAvailabilityView({
  row,
  room,
}: PackageWithAvailability): PackageWithAvailabilityView {
  return { ...packageView(row), room }
}

/** What was sold of a package, for staff. */
export interface VersionView {
  number: number
  /** ISO time. */
  at: string
  /** Who made it; null for Berth itself. */
  by: string | null
  /** How many instances have it. */
  instances: number
  /** What is other than in the version before; null for the first. */
  changes: TermsChange[] | null
}

/** @param sold the version that somebody has, where it is about that */
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
