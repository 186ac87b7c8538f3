import { nullIfNotFound } from './errors.ts'
import type { Incus } from './main.ts'
import type { AclRule } from './networks.ts'
import { isIPv4 } from 'node:net'

export const TENANT_ACL = 'berth-tenants'

/**
 * IPv4 ranges that are not public: the larger ones of RFC 6890, and multicast. Other tenants, the host's networks and
 * metadata services have such addresses.
 */
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

/** Global unicast addresses (RFC 4291). */
const GLOBAL_UNICAST_RANGE = '2000::/3'

/** A host's public services (websites, object storage, mail), which its own tenants may also use. */
export interface PublicServices {
  ports: number[]
  /**
   * Address at which customers reach the services. Set it only if this address is not public, as in a closed network.
   */
  address?: string
}

export interface HostAddress {
  address: string
  /** Prefix length as Incus writes it, such as `24`. */
  netmask: string
  /** Whether the address belongs to an Incus bridge. There, tenants need only DNS and DHCP. */
  isBridge: boolean
}

/**
 * Returns ACL rules that allow each permitted destination. The network's default action drops all other traffic. "Drop"
 * rules exist only for the host's global IPv6 addresses, which the rule for the internet over IPv6 would allow: in
 * Incus, "drop" rules take precedence over "allow" rules. Incus itself allows DHCP and DNS before these rules.
 * @param addresses all addresses of the host
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
    rule('allow', openRanges(closed).join(','), 'the internet over IPv4, without the host'),
    ...own.filter(isGlobalIPv6).map((address) => rule('drop', address, 'the host')),
    rule('allow', GLOBAL_UNICAST_RANGE, 'the internet over IPv6'),
  ]
  const served = addresses
    .filter(({ isBridge }) => !isBridge)
    .map(({ address }) => address)
    .filter((address) => isPublic(address) || (address === services?.address && isOuter(address)))
  if (!services?.ports.length || served.length === 0) return rules
  const service = rule('allow', served.join(','), 'public services of the host')
  return [...rules, { ...service, protocol: 'tcp', destination_port: services.ports.join(',') }]
}

/**
 * Returns DHCP settings with which dnsmasq leases only addresses that Incus has assigned. The dynamic range consists of
 * the bridge's own address, which is never leased. So there is no pool that tenants could exhaust with invented MAC
 * addresses, requested addresses or declined leases.
 * @param address the bridge's address with its prefix length, such as `10.0.0.1/24`
 */
export function bridgeDhcpConfig(address: string): Record<string, string> {
  const [own] = address.split('/')
  return {
    'ipv4.dhcp.ranges': `${own}-${own}`,
    'dns.mode': 'none',
    // Without this setting, dnsmasq would create a DNS record for each host name that a tenant chooses.
    'raw.dnsmasq': 'dhcp-ignore-names',
  }
}

/**
 * Applies the rules and the DHCP settings to a bridge of a local or remote host. Call it again when the host's
 * addresses change.
 */
export async function isolateTenants(
  incus: Incus,
  network: string,
  services?: PublicServices
): Promise<void> {
  const egress = tenantRules(await hostAddresses(incus), services)
  const acl = { name: TENANT_ACL, description: 'Isolates tenants from each other', egress }
  const present = (await incus.networks.acls()).find(({ name }) => name === TENANT_ACL)
  if (!present) await incus.networks.setAcl(acl)
  const { config } = await incus.networks.get(network)
  const wanted: Record<string, string> = {
    'security.acls': TENANT_ACL,
    'security.acls.default.egress.action': 'drop',
    'security.acls.default.ingress.action': 'allow',
    ...(config['ipv4.address']?.includes('/') ? bridgeDhcpConfig(config['ipv4.address']) : {}),
  }
  // Sets the default action "drop" before it updates an existing ACL. The new rules drop only addresses
  // of the host, so with another default action, all other destinations would be allowed too.
  if (Object.entries(wanted).some(([key, value]) => config[key] !== value)) {
    await incus.networks.patch(network, { config: { ...config, ...wanted } })
  }
  if (
    present &&
    JSON.stringify(present.egress.map(ruleText)) !== JSON.stringify(egress.map(ruleText))
  )
    await incus.networks.setAcl(acl)
}

/**
 * Removes the settings of `isolateTenants` from a bridge, and deletes the ACL. No instance of a tenant may use the
 * bridge any more.
 */
export async function removeTenantIsolation(incus: Incus, network: string): Promise<void> {
  const { config } = await incus.networks.get(network)
  if (config['security.acls'] === TENANT_ACL) {
    const keys = [
      'security.acls',
      'security.acls.default.egress.action',
      'security.acls.default.ingress.action',
      ...Object.keys(bridgeDhcpConfig('')),
    ]
    // Incus deletes keys with an empty value.
    const empty = Object.fromEntries(keys.map((key) => [key, '']))
    await incus.networks.patch(network, { config: empty })
  }
  await nullIfNotFound(incus.networks.deleteAcl(TENANT_ACL))
}

function ruleText({ action, destination, protocol, destination_port, state }: AclRule): string {
  return [action, destination, protocol, destination_port, state].join(' ')
}

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

/**
 * Returns the IPv4 addresses of a network interface at which the kernel accepts packets: its own address, and the first
 * and last (broadcast) address of its network.
 */
function whereItListens({ address, netmask }: HostAddress): string[] {
  if (!isIPv4(address)) return []
  if (Number(netmask) > 30) return [address]
  const [first, last] = rangeOf(`${address}/${netmask}`)
  return [address, rangeText(first, first), rangeText(last, last)]
}

/** Returns all IPv4 ranges outside `closed`, in ascending order, such as `1.0.0.0-9.255.255.255`. */
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

/** Returns the first and last address of a network (`10.0.0.0/8`) as numbers. For a single address, both are equal. */
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

/**
 * Returns whether machines in the same closed network may be able to reach the host at this address: any IPv4 address,
 * except loopback and link-local ones.
 */
function isOuter(address: string): boolean {
  return isIPv4(address) && !/^(127|169\.254)\./.test(address)
}

function isGlobalIPv6(address: string): boolean {
  return /^[23][0-9a-f]{3}:/i.test(address)
}
