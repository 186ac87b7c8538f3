import type ServerPackage from '#catalog/models/server_package'
import type { PackageWithAvailability } from '#catalog/transformers/package'
import { denied } from '#core/permission'

interface PackageAvailabilityProvider {
  /** Returns packages in the same order, with whether any host has capacity. */
  offersOf(packages: ServerPackage[]): Promise<PackageWithAvailability[]>
  instances(): Promise<Map<number, number>>
}

/** The modules `hosts` and `instances` replace it at start. Without them, nothing is available. */
export const packageAvailabilityProvider: PackageAvailabilityProvider = {
  offersOf: async (packages) =>
    packages.map((row) => ({ row, room: denied('No host accepts new instances right now.') })),
  instances: async () => new Map(),
}
