import { findFirstFreeAddress } from '#instances/containers/reserve_address'
import type { Device, Incus } from '#packages/incus/main'
import { randomInt } from 'node:crypto'

/**
 * Returns a network device with a free address, for containers that a test creates directly in Incus. The bridge's
 * DHCP serves only addresses that are set in Incus. The address is from the upper half of the range, which orders use
 * last.
 */
export async function nicWithFreeAddress(incus: Incus): Promise<Device> {
  const { eth0 } = (await incus.profiles.get('default')).devices
  const [{ config }, leases, all] = await Promise.all([
    incus.networks.get(eth0!.network!),
    incus.networks.leases(eth0!.network!),
    incus.instances.list(),
  ])
  const taken = new Set([
    ...leases.map(({ address }) => address),
    ...all.flatMap(({ devices }) => devices.eth0?.['ipv4.address'] ?? []),
  ])
  const subnet = config['ipv4.address']!
  const lower = subnet.replace(/\d+\/\d+$/, '')
  for (let last = randomInt(0, 100) + 128; last > 0; last--) taken.add(`${lower}${last}`)
  return { ...eth0!, 'ipv4.address': findFirstFreeAddress(subnet, taken)! }
}
