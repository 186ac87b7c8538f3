import type HostInstance from '#hosts/models/host_instance'
import type { Incus } from '#packages/incus/main'

export async function listHostAddresses(
  { ip }: Pick<HostInstance, 'ip'>,
  incus: Incus
): Promise<string[]> {
  const networks = await incus.networks.list()
  // Networks that Incus manages connect instances. The addresses of the host itself are on the other networks.
  const own = networks.filter(({ managed, type }) => !managed && type !== 'loopback')
  const states = await Promise.all(own.map(({ name }) => incus.networks.state(name)))
  const addresses = states
    .flatMap(({ addresses }) => addresses ?? [])
    .filter(({ scope }) => scope === 'global')
    .map(({ address }) => address)
  return [...new Set([ip, ...addresses])]
}
