import { localMachineId } from '#core/local_host'
import { HostInstance, listLocalHosts } from '#hosts/public'
import type { ServerInstance } from '#instances/public'
import type { TrustedEdge } from '#packages/apache/main'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import { createHmac } from 'node:crypto'
import { BlockList, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Returns the address to which customers' DNS records must point: `PUBLIC_IP` for the local machine,
 * else the machine's stored public address, else its local host's address. Null if none is known.
 */
export async function findPublicEdgeAddress(machineId = localMachineId()): Promise<string | null> {
  return (await findPublicEdgeAddresses([machineId])).get(machineId) ?? null
}

export async function findPublicEdgeAddresses(ids: string[]): Promise<Map<string, string>> {
  const [hosts, machines] = await Promise.all([
    HostInstance.live().where('isLocal', true).whereIn('machineId', ids).orderBy('id', 'desc'),
    db.from('machines').whereIn('id', ids).whereNotNull('public_ip').select('id', 'public_ip'),
  ])
  const configured = env.get('PUBLIC_IP')
  return new Map([
    ...hosts.map(({ machineId, ip }) => [machineId, ip] as const),
    ...machines.map(({ id, public_ip: ip }) => [String(id), String(ip)] as const),
    ...(configured && ids.includes(localMachineId())
      ? [[localMachineId(), configured] as const]
      : []),
  ])
}

export async function listLocalEdgeAddresses(): Promise<Set<string>> {
  const configured = env.get('PUBLIC_IP')
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const local = await listLocalHosts().where('isLocal', true)
  return new Set([
    ...(configured ? [configured] : []),
    ...local.map(({ ip }) => ip),
    ...own.filter(({ internal }) => !internal).map(({ address }) => address),
  ])
}

/**
 * Returns the addresses from which the edge's requests reach an instance's web server. For a remote
 * host, they are the known IPv4 addresses of the console machine that manages it. For the local host,
 * they are this machine's address on the bridge. Empty if the instance's address is in no bridge's
 * network: the host then forwards ports by Incus's proxy process, and all visitors have the address
 * 127.0.0.1.
 */
export async function listEdgeSourceAddresses({
  privateIp,
  hostInstanceId,
}: Pick<ServerInstance, 'privateIp' | 'hostInstanceId'>): Promise<string[]> {
  const host = await HostInstance.findOrFail(hostInstanceId)
  if (!host.isLocal) {
    const target = await findPublicEdgeAddress(host.machineId)
    const own = host.machineId === localMachineId() ? await listLocalEdgeAddresses() : []
    const all = [...own, ...(target ? [target] : [])]
    return [...new Set(all)]
      .filter((address) => isIPv4(address) && !address.startsWith('127.'))
      .sort()
  }
  const bridges = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(
      ({ cidr, family }) => family === 'IPv4' && cidr && privateIp && isWithin(privateIp, cidr)
    )
  return bridges.map(({ address }) => address)
}

export async function getTrustedEdge(
  instance: Pick<ServerInstance, 'id' | 'privateIp' | 'hostInstanceId'>
): Promise<TrustedEdge> {
  return {
    addresses: await listEdgeSourceAddresses(instance),
    headerPrefix: edgeHeaderPrefix(instance.id),
  }
}

/**
 * Returns the secret prefix of the headers by which an instance recognizes requests of this
 * installation's edges (docs/decisions/0075). The source address does not suffice, because all
 * instances can send from an address of this machine.
 */
export function edgeHeaderPrefix(instanceId: number | string): string {
  const key = env.get('APP_KEY').release()
  const mark = createHmac('sha256', key).update(`edge-headers:${instanceId}`).digest('hex')
  return `X-Berth-${mark.slice(0, 32)}`
}

function isWithin(address: string, cidr: string): boolean {
  const [net, prefix] = cidr.split('/')
  const subnet = new BlockList()
  subnet.addSubnet(net, Number(prefix), 'ipv4')
  return subnet.check(address, 'ipv4')
}
