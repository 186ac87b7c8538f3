import type { Allocation } from '#catalog/public'
import { noActiveHost, noCapacity } from '#hosts/errors'
import HostInstance from '#hosts/models/host_instance'
import { computeFreeCapacity, CAPACITY_COLUMNS } from '#hosts/queries/capacity'
import { fitsAllocation, computeFreeCapacityForResize, capacityPermission } from '#hosts/capacity'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * The active host with most free memory that has room. It alone stays locked until the transaction
 * ends, so that two orders never get the same last place; one that another order holds is passed
 * over, and waited for only where no other has room.
 * @throws refusals `no_host`, `no_room`
 */
export async function chooseHost(
  allocation: Allocation,
  trx: TransactionClientContract
): Promise<HostInstance> {
  const hosts = await HostInstance.query({ client: trx })
    .where('status', 'active')
    .select(...CAPACITY_COLUMNS)
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
  const now = await HostInstance.query({ client: trx })
    .where('status', 'active')
    .select(...CAPACITY_COLUMNS)
  throw noCapacity(
    capacityPermission(allocation, now.map(computeFreeCapacity)).reason ??
      'Another order has just taken the last free capacity.'
  )
}

/**
 * The host as it is now, locked; null where it is no longer active or has no room, or is busy and nobody waits for it.
 * Of those the lock goes with its savepoint: who kept it and waited for the next one could wait for ever.
 */
async function lockIfFits(
  id: number,
  allocation: Allocation,
  isPatient: boolean,
  trx: TransactionClientContract
): Promise<HostInstance | null> {
  const attempt = await trx.transaction()
  const query = HostInstance.query({ client: attempt }).where({ id, status: 'active' }).forUpdate()
  const host = await (isPatient ? query : query.skipLocked()).first()
  if (host && fitsAllocation(allocation, computeFreeCapacity(host))) {
    await attempt.commit()
    return host.useTransaction(trx)
  }
  await attempt.rollback()
  return null
}

/**
 * Refuses (`no_room`) what the host cannot allocate beside what it allocated to others.
 * @param own what is allocated already to the same instance
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
