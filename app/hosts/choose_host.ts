import type { Allocation } from '#catalog/public'
import { noActiveHost, noCapacity } from '#hosts/errors'
import HostInstance from '#hosts/models/host_instance'
import { computeFreeCapacity, CAPACITY_COLUMNS } from '#hosts/queries/capacity'
import { fitsAllocation, computeFreeCapacityForResize, capacityPermission } from '#hosts/capacity'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Chooses, of the hosts that accept orders, the one with the most free memory. Locks its row until the transaction
 * ends, so that two orders never get the same last capacity. Skips hosts that another order has locked. Waits for
 * these only if no other host has enough capacity.
 * @throws AppError `no_host`, `no_room`
 */
export async function chooseHost(
  allocation: Allocation,
  trx: TransactionClientContract
): Promise<HostInstance> {
  const hosts = await HostInstance.acceptingOrders({ client: trx }).select(...CAPACITY_COLUMNS)
  if (hosts.length === 0) throw noActiveHost()
  const free = (host: HostInstance) => computeFreeCapacity(host).left.memory
  const wide = hosts
    .filter((host) => fitsAllocation(allocation, computeFreeCapacity(host)))
    .sort((one, other) => free(other) - free(one) || one.id - other.id)
  for (const isPatient of [false, true]) {
    for (const { id } of wide) {
      const host = await lockIfFits(id, allocation, isPatient, trx)
      if (host) return host
    }
  }
  const now = await HostInstance.acceptingOrders({ client: trx }).select(...CAPACITY_COLUMNS)
  throw noCapacity(
    capacityPermission(allocation, now.map(computeFreeCapacity)).reason ??
      'Another order has just taken the last free capacity.'
  )
}

/**
 * Locks a host and checks its capacity again. Returns null if the host accepts no orders or has too little
 * capacity, or if it is locked and `isPatient` is false. A rollback to a savepoint then releases the lock: holding
 * one host's lock while waiting for another's could deadlock.
 */
async function lockIfFits(
  id: number,
  allocation: Allocation,
  isPatient: boolean,
  trx: TransactionClientContract
): Promise<HostInstance | null> {
  const attempt = await trx.transaction()
  const query = HostInstance.acceptingOrders({ client: attempt }).where('id', id).forUpdate()
  const host = await (isPatient ? query : query.skipLocked()).first()
  if (host && fitsAllocation(allocation, computeFreeCapacity(host))) {
    await attempt.commit()
    return host.useTransaction(trx)
  }
  await attempt.rollback()
  return null
}

/**
 * Checks that a host has enough capacity. Locks its row until the transaction ends.
 * @param own the instance's current allocation, which a resize frees
 * @throws AppError `no_room`
 */
export async function assertHostCapacity(
  hostId: number,
  allocation: Allocation,
  own: Allocation,
  trx: TransactionClientContract
): Promise<void> {
  const host = await HostInstance.query({ client: trx })
    .where('id', hostId)
    .forUpdate()
    .firstOrFail()
  const { allowed, reason } = capacityPermission(allocation, [
    computeFreeCapacityForResize(computeFreeCapacity(host), own),
  ])
  if (!allowed) {
    throw noCapacity(reason!, 'The host of this instance has no room for this package right now.')
  }
}
