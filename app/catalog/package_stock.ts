import type ServerPackage from '#catalog/models/server_package'
import type { Offer } from '#catalog/transformers/package'
import { deny } from '#core/permission'

interface Stock {
  /** These packages with whether any host has room for them now, in their order. */
  offersOf(packages: ServerPackage[]): Promise<Offer[]>
  /** How many instances have each version of a package, by the version's id. */
  instances(): Promise<Map<number, number>>
}

/** What is left of packages. Bound by the domains of hosts and of instances; until then nothing is. */
export const packageStock: Stock = {
  offersOf: async (packages) =>
    packages.map((row) => ({ row, room: deny('No host accepts new instances right now.') })),
  instances: async () => new Map(),
}
