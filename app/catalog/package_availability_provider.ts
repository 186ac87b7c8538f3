import type ServerPackage from '#catalog/models/server_package'
import type { PackageWithAvailability } from '#catalog/transformers/package'
import { denied } from '#core/permission'

interface Stock {
  /** These packages with whether any host has room for them now, in their order. */
  offersOf(packages: ServerPackage[]): Promise<PackageWithAvailability[]>
  /** How many instances have each version of a package, by the version's id. */
  instances(): Promise<Map<number, number>>
}

/** What is left of packages. Bound by the domains of hosts and of instances; until then nothing is. */
export const packageAvailabilityProvider: Stock = {
  offersOf: async (packages) =>
    packages.map((row) => ({ row, room: denied('No host accepts new instances right now.') })),
  instances: async () => new Map(),
}
