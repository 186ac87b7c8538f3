import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/**
 * Address ranges that are not public (IANA special-purpose registries), and IPv6 addresses that contain an IPv4
 * address.
 */
const special = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(net, bits, 'ipv4')
}
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special.addSubnet(net, bits, 'ipv6')
}

export function isPublicIpAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4')
    case 6:
      return global.check(address, 'ipv6') && !special.check(address, 'ipv6')
    default:
      return false
  }
}

export type PublicHostResult =
  | { kind: 'public'; addresses: string[] }
  | { kind: 'unknown' }
  | { kind: 'private' }

/**
 * Resolves a host name or IP address. Returns `private` if any of its addresses is not public. Connect only to the
 * returned addresses, because the next lookup of the name could return others.
 */
export async function resolvePublicHost(host: string): Promise<PublicHostResult> {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  const resolved = isIP(name)
    ? [{ address: name }]
    : await lookup(name, { all: true }).catch(() => [])
  const addresses = resolved.map(({ address }) => address)
  if (addresses.length === 0) return { kind: 'unknown' }
  return addresses.every(isPublicIpAddress) ? { kind: 'public', addresses } : { kind: 'private' }
}
