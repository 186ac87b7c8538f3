import { noHost, noRoom } from '#compute/errors'
import type { Share } from '#compute/limits'
import HostInstance from '#compute/models/host_instance'
import { limitsOf, promisedOn } from '#compute/queries/hosts'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * The active host with most free memory that has room. All active hosts stay locked until the
 * transaction ends, so that two orders never get the same last place.
 * @throws refusals `no_host`, `no_room`
 */
export async function place(share: Share, trx: TransactionClientContract): Promise<HostInstance> {
  const rows = await HostInstance.query({ client: trx })
    .where('status', 'active')
    .orderBy('id')
    .forUpdate()
  if (rows.length === 0) throw noHost()
  const promised = await promisedOn(
    rows.map(({ id }) => id),
    trx
  )
  const free = rows
    .map((host) => ({ host, left: leftOn(host, promised.get(host.id)) }))
    .filter(({ host, left }) => fits(share, left, host))
    .sort((one, other) => other.left.memory - one.left.memory)
  if (free.length === 0) throw noRoom()
  return free[0].host
}

/**
 * Refuses (`no_room`) what the host cannot promise beside what it promised others.
 * @param own what is promised already to the same instance
 */
export async function assertRoom(
  hostId: number,
  share: Share,
  own: Share,
  trx: TransactionClientContract
): Promise<void> {
  const host = await HostInstance.query({ client: trx })
    .where('id', hostId)
    .forUpdate()
    .firstOrFail()
  const left = leftOn(host, (await promisedOn([hostId], trx)).get(hostId))
  const withOwn = {
    vcpu: left.vcpu + own.vcpu,
    memory: left.memory + own.memory,
    disk: left.disk + own.disk,
  }
  if (!fits(share, withOwn, host)) throw noRoom()
}

function leftOn(
  host: HostInstance,
  promised: { cpu: number; memory: number; disk: number } | undefined
): Share {
  const limit = limitsOf(host)
  return {
    vcpu: limit.cpu - (promised?.cpu ?? 0),
    memory: limit.memory - (promised?.memory ?? 0),
    disk: limit.disk - (promised?.disk ?? 0),
  }
}

/** One instance never gets more processors than the host has, however many are promised in all. */
function fits(share: Share, left: Share, host: HostInstance): boolean {
  return (
    share.vcpu <= host.cpuTotal &&
    share.vcpu <= left.vcpu &&
    share.memory <= left.memory &&
    share.disk <= left.disk
  )
}
