import { incusClientFor } from '#hosts/incus_connections'
import { loadDefaultPoolAndNetwork } from '#hosts/inspect_host'
import type HostInstance from '#hosts/models/host_instance'
import { isolateTenants, type PublicServices } from '#packages/incus/main'
import env from '#start/env'

/**
 * Keeps the tenants of a host from it and from each other. Those of this machine reach what it serves to
 * everybody; other hosts serve nothing.
 */
export async function isolateHostTenants(host: HostInstance): Promise<void> {
  const incus = incusClientFor(host)
  // A row could name a network of somebody else, which the rules would cut off.
  const { network } = await loadDefaultPoolAndNetwork(incus)
  await isolateTenants(incus, network, host.isLocal ? localServiceAddresses() : undefined)
}

/** As `./berth` told it, so that both put the same rules. */
function localServiceAddresses(): PublicServices {
  const ports = env.get('PUBLIC_PORTS', '').split(',').filter(Boolean).map(Number)
  return { ports, address: env.get('PUBLIC_IP') }
}
