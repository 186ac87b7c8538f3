import type ServerPackage from '#catalog/models/server_package'
import type { PackageWithAvailability } from '#catalog/transformers/package'
import { denied } from '#core/permission'

interface PackageAvailabilityProvider {
  /** Returns the packages in the given order. `room` says whether any host has capacity for the package. */
  offersOf(packages: ServerPackage[]): Promise<PackageWithAvailability[]>
  instances(): Promise<Map<number, number>>
}

/**
 * The modules `hosts` and `instances` replace these functions when Berth starts. Without them, no package is
 * available.
 */
export const packageAvailabilityProvider: PackageAvailabilityProvider = {
  offersOf: async (packages) =>
    packages.map((row) => ({ row, room: denied('No host accepts new instances right now.') })),
  instances: async () => new Map(),
}
