import type HostInstance from '#hosts/models/host_instance'
import type { Incus } from '#packages/incus/main'

/** The addresses at which a host can be reached: the one that customers are told, and its own. */
export async function listHostAddresses(
  { ip }: Pick<HostInstance, 'ip'>,
  incus: Incus
): Promise<string[]> {
  const networks = await incus.networks.list()
  // Bridges of Incus lead to instances; the host's own addresses are on what Incus does not manage.
  const own = networks.filter(({ managed, type }) => !managed && type !== 'loopback')
  const states = await Promise.all(own.map(({ name }) => incus.networks.state(name)))
  const addresses = states
    .flatMap(({ addresses }) => addresses ?? [])
    .filter(({ scope }) => scope === 'global')
    .map(({ address }) => address)
  return [...new Set([ip, ...addresses])]
}
