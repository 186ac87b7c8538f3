import { incusClientFor } from '#hosts/incus_connections'
import { loadDefaultPoolAndNetwork } from '#hosts/inspect_host'
import { isCreatedByBerth } from '#hosts/installation_identity'
import type HostInstance from '#hosts/models/host_instance'
import {
  type Incus,
  isolateTenants,
  type PublicServices,
  removeTenantIsolation,
} from '#packages/incus/main'
import env from '#start/env'

/**
 * Isolates the instances of a host from each other. If the host is this machine, they may still connect to its
 * public services.
 */
export async function isolateHostTenants(host: HostInstance): Promise<void> {
  const incus = incusClientFor(host)
  // The network's name comes from Incus, not from the host's row. A manipulated row could name another network,
  // which the firewall rules would then block.
  const { network } = await loadDefaultPoolAndNetwork(incus)
  await isolateTenants(incus, network, host.isLocal ? localServiceAddresses() : undefined)
}

/** Removes the firewall rules from the host's bridge, unless a container of any Berth installation remains. */
export async function removeHostIsolation(incus: Incus): Promise<void> {
  if ((await incus.instances.list()).some(isCreatedByBerth)) return
  const { network } = await loadDefaultPoolAndNetwork(incus)
  await removeTenantIsolation(incus, network)
}

/** Returns the same ports and address as `./berth` uses, so that both create the same firewall rules. */
function localServiceAddresses(): PublicServices {
  const ports = env.get('PUBLIC_PORTS', '').split(',').filter(Boolean).map(Number)
  return { ports, address: env.get('PUBLIC_IP') }
}
