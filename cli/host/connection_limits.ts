import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus } from '../../packages/incus/main.ts'
import { run } from './run.ts'
import type { Report } from './run.ts'

/**
 * The limits of one instance. Decision 0062 has the arithmetic: at its worst an instance fills 6 % of the host's
 * connection tracking table by what it opens, and 5 % by what is opened to it (kernel_limits.ts has the size).
 */
const MAX_OUTGOING_CONNECTIONS = 4_096
/** Connections from outside: visitors count here. */
const MAX_INCOMING_CONNECTIONS = 8_192
/**
 * New connections per second on average, and at once. A closed connection is not counted above, but stays in the
 * table for 30 s.
 */
const MAX_NEW_OUTGOING = { perSecond: 500, burst: 5_000 }
const MAX_NEW_INCOMING = { perSecond: 1_000, burst: 10_000 }
/** DNS queries to the host's own name server, which all instances share. They have no entry in the table. */
const MAX_QUERIES = { perSecond: 1_000, burst: 5_000 }
/** Requests to the same server for an address (DHCP): a few at each start. */
const MAX_ADDRESS_REQUESTS = { perSecond: 10, burst: 100 }
/** The ports of the host that lead into instances (app/hosts/ports.ts). */
const FORWARDED_PORTS = '20000-29999'
const CHECK_INTERVAL_MS = 10_000
/** The setting in Incus that reports refused connections to the console: `count ISO-time`. */
const REFUSED_CONNECTIONS_KEY = 'user.berth.connections.refused'

/** The three ways in which a connection reaches an instance, with the key by which it is counted. */
const INCOMING = [
  { suffix: '4', key: 'ip daddr', type: 'ipv4_addr' },
  { suffix: '6', key: 'ip6 daddr', type: 'ipv6_addr' },
  // Where the kernel cannot forward a port, a program of Incus listens on the host.
  { suffix: '_port', key: 'tcp dport', type: 'inet_service' },
]

/** Returns the rules for a bridge in nft(8) syntax. Loading them replaces older ones. */
export function connectionRules(bridge: string): string {
  const set = (name: string, type: string) =>
    `  set ${name} { type ${type}; size 65535; flags dynamic; }`
  const pace = ({ perSecond, burst }: typeof MAX_QUERIES) =>
    `limit rate over ${perSecond}/second burst ${burst} packets`
  // Only the first packet of a connection: a stream of datagrams without answers stays new.
  const isNew = 'ct state new ct status ! confirmed'
  const isQuery = `iifname "${bridge}" udp dport 53 fib daddr . iif type local`
  const limitIncoming = (packets: string, { suffix, key }: { suffix: string; key: string }) => [
    `    ${packets} ${isNew} add @arriving${suffix} { ${key} ${pace(MAX_NEW_INCOMING)} } goto refuse_incoming${suffix}`,
    `    ${packets} ${isNew} add @incoming${suffix} { ${key} ct count over ${MAX_INCOMING_CONNECTIONS} } goto refuse_incoming${suffix}`,
  ]
  const [toAddress4, toAddress6, toPort] = INCOMING
  const content = [
    // By hardware address, the only one that an instance cannot change: it can choose addresses of IPv6, and
    // all instances ask for theirs from 0.0.0.0.
    ...['queries', 'addresses', 'pace', 'outgoing', 'refused'].map((name) =>
      set(name, 'ether_addr')
    ),
    ...INCOMING.flatMap(({ suffix, type }) =>
      ['arriving', 'incoming', 'refused'].map((name) => set(`${name}${suffix}`, type))
    ),
    '  chain refuse_outgoing { update @refused { ether saddr counter }; drop; }',
    ...INCOMING.map(
      ({ suffix, key }) =>
        `  chain refuse_incoming${suffix} { update @refused${suffix} { ${key} counter }; drop; }`
    ),
    '  chain queries_of_instances {',
    '    type filter hook prerouting priority raw; policy accept;',
    `    ${isQuery} add @queries { ether saddr ${pace(MAX_QUERIES)} } goto refuse_outgoing`,
    `    ${isQuery} notrack`,
    `    iifname "${bridge}" udp dport 67 add @addresses { ether saddr ${pace(MAX_ADDRESS_REQUESTS)} } goto refuse_outgoing`,
    '  }',
    '  chain answers_to_instances {',
    '    type filter hook output priority raw; policy accept;',
    `    oifname "${bridge}" udp sport 53 notrack`,
    '  }',
    '  chain from_instances {',
    // At prerouting, because connections to the host itself also fill the table.
    '    type filter hook prerouting priority mangle; policy accept;',
    `    iifname "${bridge}" ${isNew} add @pace { ether saddr ${pace(MAX_NEW_OUTGOING)} } goto refuse_outgoing`,
    `    iifname "${bridge}" ${isNew} add @outgoing { ether saddr ct count over ${MAX_OUTGOING_CONNECTIONS} } goto refuse_outgoing`,
    '  }',
    '  chain to_instances {',
    '    type filter hook forward priority filter - 5; policy accept;',
    ...limitIncoming(`oifname "${bridge}"`, toAddress4!),
    ...limitIncoming(`oifname "${bridge}"`, toAddress6!),
    '  }',
    '  chain to_ports {',
    '    type filter hook input priority filter - 5; policy accept;',
    ...limitIncoming(`iifname != "lo" tcp dport ${FORWARDED_PORTS}`, toPort!),
    '  }',
  ]
  const version = createHash('sha256').update(content.join('\n')).digest('hex').slice(0, 16)
  const table = tableOf(bridge)
  return [
    `add table inet ${table}`,
    `delete table inet ${table}`,
    `table inet ${table} {`,
    `  comment "${version}"`,
    ...content,
    '}',
    '',
  ].join('\n')
}

/** Returns the name of our own table, which neither Incus nor another installation changes. */
function tableOf(bridge: string): string {
  return `berth_${bridge}`
}

/**
 * Limits the connections of each instance on a bridge. Without it one instance could fill the host's
 * connection tracking table, and the host would accept no connections. Returns whether rules were written.
 */
export async function limitConnections(bridge: string): Promise<boolean> {
  const rules = connectionRules(bridge)
  const [version] = /comment "\w+"/.exec(rules)!
  const present = await run('nft', ['list', 'table', 'inet', tableOf(bridge)]).catch(() => '')
  // `nft flush table` deletes the rules but keeps the table's comment, so check some rules too.
  if ([version, 'hook prerouting', 'ct count over'].every((text) => present.includes(text))) {
    return false
  }
  await run('nft', ['-f', '-'], { input: rules })
  return true
}

/** Removes the rules of a bridge. */
export async function unlimitConnections(bridge: string): Promise<void> {
  await run('nft', ['delete', 'table', 'inet', tableOf(bridge)]).catch(() => {})
}

/**
 * Restores the limits after a reload of the machine's firewall, and reports refused connections to the
 * console, until the signal aborts.
 */
export async function keepConnectionLimits(options: {
  bridge: string
  socket: string
  signal: AbortSignal
  report: Report
}): Promise<void> {
  const { bridge, socket, signal, report } = options
  const incus = Incus.local(socket)
  const before = new Map<string, number>()
  while (!signal.aborted) {
    try {
      if (await limitConnections(bridge)) report('Limited the connections of instances')
      await reportRejected(incus, await countRejectedConnections(bridge), before)
    } catch (error) {
      report(`Connections could not be limited: ${(error as Error).message}`)
    }
    await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
  await incus.close()
}

/**
 * Returns the number of refused packets of new connections. The key is the hardware address of the instance that
 * sent them, or the address or forwarded port that they were sent to.
 */
export async function countRejectedConnections(bridge: string): Promise<Map<string, number>> {
  const table = await run('nft', ['list', 'table', 'inet', tableOf(bridge)])
  const found = table.matchAll(/([0-9a-f.:]+) counter packets (\d+) bytes/g)
  return new Map([...found].map(([, key, count]) => [key!, Number(count)]))
}

async function reportRejected(
  incus: Incus,
  refused: Map<string, number>,
  before: Map<string, number>
): Promise<void> {
  if ([...refused].every(([key, count]) => before.get(key) === count)) return
  for (const { name, config, devices } of await incus.instances.list()) {
    const ports = Object.values(devices).map(({ listen = '' }) => listen.split(':').at(-1))
    const keys = [config['volatile.eth0.hwaddr'], devices.eth0?.['ipv4.address'], ...ports]
    const known = keys.filter((key) => key !== undefined).filter((key) => refused.has(key))
    if (known.every((key) => before.get(key) === refused.get(key))) continue
    const count = known.reduce((sum, key) => sum + refused.get(key)!, 0)
    await incus.instances.patch(name, {
      config: { [REFUSED_CONNECTIONS_KEY]: `${count} ${new Date().toISOString()}` },
    })
  }
  for (const [key, count] of refused) before.set(key, count)
}
