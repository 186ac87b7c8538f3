import type { Share } from '#catalog/public'
import { noHost, noRoom } from '#hosts/errors'
import HostInstance from '#hosts/models/host_instance'
import { roomOn } from '#hosts/queries/room'
import { fits, roomBeside, roomVerdict } from '#hosts/room'
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
  const found = await roomOn(rows, trx)
  const free = found
    .filter(({ room }) => fits(share, room))
    .sort((one, other) => other.room.left.memory - one.room.left.memory)
  if (free.length === 0) {
    const { reason } = roomVerdict(
      share,
      found.map(({ room }) => room)
    )
    throw noRoom(reason!)
  }
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
  const [{ room }] = await roomOn([host], trx)
  const { allowed, reason } = roomVerdict(share, [roomBeside(room, own)])
  if (!allowed) throw noRoom(reason!)
}
