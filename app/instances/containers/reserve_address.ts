import { HostInstance } from '#hosts/public'
import { noFreeAddresses } from '#instances/errors'
import ServerInstance from '#instances/models/server_instance'
import type { Incus } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'

/**
 * Returns the instance's private address. If it has none, reserves the first address that is free in Incus and the
 * database. Locks the host's row meanwhile.
 * @throws AppError `no_addresses`
 */
export async function reserveAddress(
  instance: ServerInstance,
  host: HostInstance,
  incus: Incus
): Promise<string> {
  if (instance.privateIp) return instance.privateIp
  const network = host.network!
  const [{ config }, leases, containers] = await Promise.all([
    incus.networks.get(network),
    incus.networks.leases(network),
    incus.instances.list(),
  ])
  const taken = new Set([
    ...leases.map(({ address }) => address),
    ...containers.flatMap(({ devices }) =>
      Object.values(devices).flatMap((device) => device['ipv4.address'] ?? [])
    ),
  ])
  const address = await db.transaction(async (trx) => {
    await HostInstance.query({ client: trx }).where('id', host.id).forUpdate().firstOrFail()
    const rows = await ServerInstance.live({ client: trx })
      .where('hostInstanceId', host.id)
      .whereNotNull('privateIp')
      .select('privateIp')
    for (const { privateIp } of rows) taken.add(privateIp!)
    const free = findFirstFreeAddress(config['ipv4.address'] ?? '', taken)
    if (!free) throw noFreeAddresses()
    await ServerInstance.query({ client: trx })
      .where('id', instance.id)
      .update({ private_ip: free })
    return free
  })
  instance.merge({ privateIp: address })
  return address
}

/** @param subnet address and prefix length of the bridge, for example `10.0.0.1/24` */
export function findFirstFreeAddress(subnet: string, taken: Set<string>): string | null {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(subnet)
  if (!match) return null
  const [a, b, c, d, prefix] = match.slice(1).map(Number)
  const own = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  const size = 2 ** (32 - prefix)
  const first = Math.floor(own / size) * size
  for (let number = first + 1; number < first + size - 1; number++) {
    if (number === own) continue
    const address = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
    if (!taken.has(address)) return address
  }
  return null
}
