import {
  allocationAfterResize,
  NO_PRICES_MESSAGE,
  type PackageWithAvailability,
  listOfferedPackages,
  type ServerPackage,
} from '#catalog/public'
import { hasDollarRate } from '#core/settings/dollar_rate'
import { denied, type Permission, ALLOWED } from '#core/permission'
import {
  listFreeCapacities,
  NO_HOST_MESSAGE,
  offersWithAvailability,
  computeFreeCapacityForResize,
  computeFreeCapacity,
} from '#hosts/public'
import {
  NOTHING_OFFERED_MESSAGE,
  SOLD_OUT_MESSAGE,
  TOO_MANY_INSTANCES_MESSAGE,
} from '#instances/errors'
import { MAX_INSTANCES_PER_ACCOUNT } from '#instances/runtime_limits'
import ServerInstance from '#instances/models/server_instance'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export async function loadOrderOptions(
  accountId: number
): Promise<{ offers: PackageWithAvailability[]; canOrder: Permission }> {
  const [packages, rooms, own] = await Promise.all([
    listOfferedPackages(),
    listFreeCapacities(),
    countInstancesOfAccount(accountId),
  ])
  const offers = offersWithAvailability(packages, rooms)
  const refused = (reason: string) => ({ offers, canOrder: denied(reason) })
  if (rooms.length === 0) return refused(NO_HOST_MESSAGE)
  if (own >= MAX_INSTANCES_PER_ACCOUNT) return refused(TOO_MANY_INSTANCES_MESSAGE)
  if (!(await hasDollarRate())) return refused(NO_PRICES_MESSAGE)
  if (packages.length === 0) return refused(NOTHING_OFFERED_MESSAGE)
  if (!offers.some(({ room }) => room.allowed)) return refused(SOLD_OUT_MESSAGE)
  return { offers, canOrder: ALLOWED }
}

/** Returns the packages' current versions, and whether the instance's host has capacity for each. */
export async function listResizeOffers(
  instance: ServerInstance,
  packages: ServerPackage[]
): Promise<PackageWithAvailability[]> {
  const { vcpu, memoryBytes: memory, diskBytes: disk, host } = instance
  const rooms = host ? [computeFreeCapacity(host)] : []
  const roomsAfterResize = rooms.map((room) =>
    computeFreeCapacityForResize(room, { vcpu, memory, disk })
  )
  const allocationOf = ({ specifications }: ServerPackage) =>
    allocationAfterResize(specifications, instance)
  return offersWithAvailability(packages, roomsAfterResize, allocationOf).map(({ row, room }) => ({
    row,
    // The host's allocated resources already include the instance's current package, so it always fits.
    room: hasCurrentPackageVersion(instance, row) ? ALLOWED : room,
  }))
}

/** Requires `packageVersion` to be loaded. */
export function hasCurrentPackageVersion(
  { serverPackageId, packageVersion }: ServerInstance,
  { id, version }: ServerPackage
): boolean {
  return serverPackageId === id && packageVersion.number === version
}

export async function countInstancesOfAccount(
  accountId: number,
  trx?: TransactionClientContract
): Promise<number> {
  const row = await ServerInstance.live({ client: trx })
    .where('accountId', accountId)
    .count('* as total')
    .first()
  return Number(row?.$extras.total ?? 0)
}
