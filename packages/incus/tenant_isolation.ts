import type { Incus } from './main.ts'
import type { AclRule } from './networks.ts'
import { isIPv4 } from 'node:net'

export const TENANT_ACL = 'berth-tenants'

/** Never on the public internet (RFC 6890): other tenants, the host's networks, metadata services, groups. */
const NON_PUBLIC_RANGES = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
]

/** What of IPv6 is public (RFC 4291). */
const GLOBAL_UNICAST_RANGE = '2000::/3'

/** What a host serves to everybody, and so to its own tenants: sites, objects, mail. */
export interface PublicServices {
  /** TCP ports. */
  ports: number[]
  /** Where customers reach the host, if that is not a public address (a closed network). */
  address?: string
}

export interface HostAddress {
  address: string
  /** Length of its network's prefix, as Incus writes it: `24`. */
  netmask: string
  /** On a bridge of Incus, where DNS and DHCP are all that tenants need. */
  isBridge: boolean
}

/**
 * The rules that keep instances from the host and from each other. They say what may be reached and nothing
 * else may, since Incus lets no "allow" stand against a "drop". Incus itself lets DHCP and DNS through
 * before any of these.
 * @param addresses every address of the host
 */
export function tenantRules(addresses: HostAddress[], services?: PublicServices): AclRule[] {
  const rule = (action: AclRule['action'], destination: string, description: string): AclRule => ({
    action,
    destination,
    description,
    state: 'enabled',
  })
  const own = addresses.map(({ address }) => address)
  const closed = [...NON_PUBLIC_RANGES, ...addresses.flatMap(whereItListens)]
  const rules = [
    rule('allow', openRanges(closed).join(','), 'the internet, without the host'),
    ...own.filter(isGlobalIPv6).map((address) => rule('drop', address, 'the host')),
    rule('allow', GLOBAL_UNICAST_RANGE, 'the internet'),
  ]
  const served = addresses
    .filter(({ isBridge }) => !isBridge)
    .map(({ address }) => address)
    .filter((address) => isPublic(address) || (address === services?.address && isOuter(address)))
  if (!services?.ports.length || served.length === 0) return rules
  const service = rule('allow', served.join(','), 'what the host serves to everybody')
  return [...rules, { ...service, protocol: 'tcp', destination_port: services.ports.join(',') }]
}

/**
 * The settings of a bridge by which it hands out only the addresses that instances have in Incus, and
 * knows no names of theirs. Whatever DHCP could choose by itself is one address, the bridge's own,
 * which it never gives: so neither invented hardware addresses nor wishes nor declined leases get
 * one, and the pool cannot be filled.
 * @param address of the bridge, `10.0.0.1/24`
 */
export function bridgeDhcpConfig(address: string): Record<string, string> {
  const [own] = address.split('/')
  return {
    'ipv4.dhcp.ranges': `${own}-${own}`,
    'dns.mode': 'none',
    // Else each lease makes a name of what the instance calls itself.
    'raw.dnsmasq': 'dhcp-ignore-names',
  }
}

/**
 * Puts the rules on a bridge, those for addresses included. Works on remote hosts as well, and is to
 * be repeated when the host's addresses have changed.
 */
export async function isolateTenants(
  incus: Incus,
  network: string,
  services?: PublicServices
): Promise<void> {
  const egress = tenantRules(await hostAddresses(incus), services)
  const acl = { name: TENANT_ACL, description: 'Tenants apart', egress }
  const present = (await incus.networks.acls()).find(({ name }) => name === TENANT_ACL)
  if (!present) await incus.networks.setAcl(acl)
  const { config } = await incus.networks.get(network)
  const wanted: Record<string, string> = {
    'security.acls': TENANT_ACL,
    'security.acls.default.egress.action': 'drop',
    'security.acls.default.ingress.action': 'allow',
    ...(config['ipv4.address']?.includes('/') ? bridgeDhcpConfig(config['ipv4.address']) : {}),
  }
  // Before the rules: older ones name what is closed, and with these alone everything would be open.
  if (Object.entries(wanted).some(([key, value]) => config[key] !== value)) {
    await incus.networks.patch(network, { config: { ...config, ...wanted } })
  }
  if (
    present &&
    JSON.stringify(present.egress.map(ruleText)) !== JSON.stringify(egress.map(ruleText))
  )
    await incus.networks.setAcl(acl)
}

function ruleText({ action, destination, protocol, destination_port, state }: AclRule): string {
  return [action, destination, protocol, destination_port, state].join(' ')
}

/** Every address of the host, as Incus sees its interfaces. */
async function hostAddresses(incus: Incus): Promise<HostAddress[]> {
  const networks = await incus.networks.list()
  const addressLists = await Promise.all(
    networks.map(async ({ name, managed }) => {
      const state = await incus.networks.state(name).catch(() => null)
      const addresses = state?.addresses ?? []
      return addresses.map(({ address, netmask }) => ({ address, netmask, isBridge: managed }))
    })
  )
  return addressLists.flat().sort((one, other) => (one.address < other.address ? -1 : 1))
}

/** Where the kernel takes packets for an address of IPv4: the first and last of its network are for all in it. */
function whereItListens({ address, netmask }: HostAddress): string[] {
  if (!isIPv4(address)) return []
  if (Number(netmask) > 30) return [address]
  const [first, last] = rangeOf(`${address}/${netmask}`)
  return [address, rangeText(first, first), rangeText(last, last)]
}

/** What is left of IPv4 between networks and addresses, in order: `1.0.0.0-9.255.255.255`. */
function openRanges(closed: string[]): string[] {
  const ranges = closed.map(rangeOf).sort(([one], [other]) => one - other)
  const open: string[] = []
  let next = 0
  for (const [first, last] of ranges) {
    if (first > next) open.push(rangeText(next, first - 1))
    next = Math.max(next, last + 1)
  }
  return next < 2 ** 32 ? [...open, rangeText(next, 2 ** 32 - 1)] : open
}

/** First and last address of `10.0.0.0/8`, or of one address. */
function rangeOf(network: string): [number, number] {
  const [address, bits = '32'] = network.split('/') as [string, string?]
  const size = 2 ** (32 - Number(bits))
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const first = number - (number % size)
  return [first, first + size - 1]
}

function rangeText(first: number, last: number): string {
  const text = (number: number) =>
    [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
  return first === last ? text(first) : `${text(first)}-${text(last)}`
}

function isPublic(address: string): boolean {
  if (!isIPv4(address)) return false
  const [number] = rangeOf(address)
  return !NON_PUBLIC_RANGES.map(rangeOf).some(([first, last]) => number >= first && number <= last)
}

/** An address that others on a closed network can have for this host. */
function isOuter(address: string): boolean {
  return isIPv4(address) && !/^(127|169\.254)\./.test(address)
}

function isGlobalIPv6(address: string): boolean {
  return /^[23][0-9a-f]{3}:/i.test(address)
}
