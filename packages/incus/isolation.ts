import type { Incus } from './main.ts'
import type { AclRule } from './networks.ts'

export const TENANT_ACL = 'berth-tenants'

/** Never on the public internet (RFC 6890): other tenants, the host's networks, metadata services. */
const PRIVATE_RANGES = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  'fe80::/10',
  '::1/128',
]

/**
 * The rules that keep instances from the host and from each other. Incus itself lets DHCP and DNS
 * to the bridge through before any of these.
 * @param addresses every address of the host
 * @param allowed networks that instances may reach all the same, such as a managed database
 */
export function tenantRules(addresses: string[], allowed: string[] = []): AclRule[] {
  const rule = (action: AclRule['action'], destination: string, description: string): AclRule => ({
    action,
    destination,
    description,
    state: 'enabled',
  })
  const publicOnes = addresses.filter((address) => !inPrivateRange(address))
  return [
    ...allowed.map((network) => rule('allow', network, 'allowed by a setting')),
    ...publicOnes.map((address) => rule('drop', address, 'the host')),
    ...PRIVATE_RANGES.map((range) => rule('drop', range, 'private networks')),
  ]
}

/**
 * The settings of a bridge by which it hands out only the addresses that instances have in Incus, and
 * knows no names of theirs. Whatever DHCP could choose by itself is one address, the bridge's own,
 * which it never gives: so neither invented hardware addresses nor wishes nor declined leases get
 * one, and the pool cannot be filled.
 * @param address of the bridge, `10.0.0.1/24`
 */
export function addressRules(address: string): Record<string, string> {
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
  { allowed = [] }: { allowed?: string[] } = {}
): Promise<void> {
  const addresses = await hostAddresses(incus)
  const egress = tenantRules(addresses, allowed)
  const present = (await incus.networks.acls()).find(({ name }) => name === TENANT_ACL)
  if (JSON.stringify(present?.egress.map(ruleText)) !== JSON.stringify(egress.map(ruleText))) {
    await incus.networks.setAcl({ name: TENANT_ACL, description: 'Tenants apart', egress })
  }
  const { config } = await incus.networks.get(network)
  const wanted: Record<string, string> = {
    'security.acls': TENANT_ACL,
    'security.acls.default.egress.action': 'allow',
    'security.acls.default.ingress.action': 'allow',
    ...(config['ipv4.address']?.includes('/') ? addressRules(config['ipv4.address']) : {}),
  }
  if (Object.entries(wanted).every(([key, value]) => config[key] === value)) return
  await incus.networks.patch(network, { config: { ...config, ...wanted } })
}

function ruleText({ action, destination, state }: AclRule): string {
  return [action, destination, state].join(' ')
}

/** Every address of the host, as Incus sees its interfaces. */
export async function hostAddresses(incus: Incus): Promise<string[]> {
  const networks = await incus.networks.list()
  const states = await Promise.all(
    networks.map((network) => incus.networks.state(network.name).catch(() => null))
  )
  const addresses = states.flatMap((state) => state?.addresses.map(({ address }) => address) ?? [])
  return [...new Set(addresses)].sort()
}

/** Is it covered by the private ranges already? */
function inPrivateRange(address: string): boolean {
  if (address.includes(':')) return /^(fe[89ab]|f[cd]|::1$)/i.test(address)
  const [a, b] = address.split('.').map(Number) as [number, number]
  return (
    [0, 10, 127].includes(a) ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168)
  )
}
