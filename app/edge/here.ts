import { HostInstance } from '#hosts/public'
import env from '#start/env'
import { networkInterfaces } from 'node:os'

/**
 * The address that customers' domains are to lead to: PUBLIC_IP, else that of the machine whose edge
 * it is. Null while there is none.
 */
export async function edgeTarget(): Promise<string | null> {
  const told = env.get('PUBLIC_IP')
  if (told) return told
  const host = await localHosts().first()
  return host?.ip ?? null
}

/** All addresses at which the edge of this machine is reached. */
export async function edgeAddresses(): Promise<Set<string>> {
  const told = env.get('PUBLIC_IP')
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return new Set([
    ...(told ? [told] : []),
    ...(await localHosts()).map(({ ip }) => ip),
    ...own.filter(({ internal }) => !internal).map(({ address }) => address),
  ])
}

function localHosts() {
  return HostInstance.query().where('isLocal', true).whereNot('status', 'deleted').orderBy('id')
}
