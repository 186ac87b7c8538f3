import { BlockList, isIP, isIPv4 } from 'node:net'

/** Address ranges of IANA's special-purpose registries (RFC 6890 and later). */
const NON_PUBLIC_RANGES = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // In IPv6, only 2000::/3 is public. These ranges in it are not public: they embed IPv4 addresses (6to4, Teredo) or
  // are for documentation.
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]

const list = new BlockList()
for (const range of NON_PUBLIC_RANGES) {
  const [net, bits] = range.split('/')
  list.addSubnet(net!, Number(bits), isIPv4(net!) ? 'ipv4' : 'ipv6')
}
const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')

/**
 * Returns whether an address is on the public internet. Customers' webhooks, and mail that is delivered without a
 * relay, go only to public addresses, because customers choose the destinations.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !list.check(address, 'ipv4')
  return family === 6 && unicast.check(address, 'ipv6') && !list.check(address, 'ipv6')
}
