import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus } from '../../packages/incus/main.ts'
import { runForOutput } from './run_for_output.ts'
import type { LineReporter } from './run_for_output.ts'

/**
 * Limits per instance (calculation: decision 0062). An instance fills at most 6 % of the host's connection tracking
 * table with outgoing connections, and 5 % with incoming ones.
 */
const MAX_OUTGOING_CONNECTIONS = 4_096
const MAX_INCOMING_CONNECTIONS = 8_192
/**
 * New connections per second, and maximum number in one burst. The limits above do not count closed connections, which
 * stay in the table for 30 s.
 */
const MAX_NEW_OUTGOING = { perSecond: 500, burst: 5_000 }
const MAX_NEW_INCOMING = { perSecond: 1_000, burst: 10_000 }
/**
 * DNS queries to the host's DNS server, which all instances share. They use no entry of the connection tracking table,
 * unless the server forwards them.
 */
const MAX_QUERIES = { perSecond: 1_000, burst: 5_000 }
/** DHCP requests to the host's DHCP server. An instance sends a few at each start. */
const MAX_ADDRESS_REQUESTS = { perSecond: 10, burst: 100 }

/**
 * Shares of the connection tracking table that all instances together may use. `OPEN_SHARE`, for open connections, is
 * divided equally among the instances. The remaining quarter of the table is for the host, its edge proxy and SSH.
 */
const OPEN_SHARE = 1 / 4
const NEW_SHARES = { outgoing: 0.2, incoming: 0.2, queries: 0.1 }
/**
 * Part of the rates of new connections that is guaranteed, in equal shares for all instances. Instances compete for the
 * rest.
 */
const ASSURED_SHARE = 1 / 2
/** Seconds for which the table keeps a closed connection, or a DNS query that the server forwarded. */
const CLOSED_SECONDS = 30
/** Size of a burst, in seconds of its rate. */
const BURST_SECONDS = 5
/**
 * Minimum number of entries of the table, and number of entries per instance. On a host with little memory, both may be
 * lower.
 */
const USUAL_TABLE_SIZE = 1_048_576
const TABLE_ENTRIES_PER_INSTANCE =
  (MAX_OUTGOING_CONNECTIONS + MAX_INCOMING_CONNECTIONS) / OPEN_SHARE
/**
 * Part of the host's memory that a full table may use. This memory cannot be swapped. The kernel's default is at most
 * 1/40 (nf_conntrack_init_start in net/netfilter/nf_conntrack_core.c: 262,144 entries above 4 GiB).
 */
const MAX_MEMORY_SHARE = 1 / 16
/** Bytes that one entry of the table needs, with its extensions (about 320 to 400) and its hash bucket. */
const ENTRY_BYTES = 408
/** The kernel's default size with 1 to 4 GiB of memory. Assumed if the host's size cannot be read. */
const KERNEL_TABLE_SIZE = 65_536
/** The kernel rounds the number of hash buckets up to whole pages. This number fills the largest page, 64 KiB. */
const BUCKETS_PER_PAGE = 8_192
export const TABLE_SIZE_SETTING = 'net.netfilter.nf_conntrack_max'
export const TABLE_BUCKETS_SETTING = 'net.netfilter.nf_conntrack_buckets'

/** Maximum entries of one nftables set: hardware addresses, IP addresses or ports. */
const LIST_SIZE = 65_535
/**
 * Seconds without a packet after which an entry is removed from a set. An entry is no longer needed then, because its
 * burst refills in 10 s. Sets that count open connections have no timeout: the kernel removes entries without
 * connections.
 */
const IDLE_SECONDS = 60
/** Seconds for which counters of rejected connections are kept. The console shows them for an hour. */
const REFUSED_SECONDS = 3_600

/** Host ports that are forwarded to instances (app/hosts/instance_port_range.ts). */
const FORWARDED_PORTS = '20000-29999'
const CHECK_INTERVAL_MS = 10_000
/** Incus config key with the number of rejected connections and the time (`count ISO-time`). The console reads it. */
const REFUSED_CONNECTIONS_KEY = 'user.berth.connections.refused'
const REFUSED_TOGETHER = 'refused_together'

/** Destinations for which incoming connections are counted: addresses of instances, or forwarded ports of the host. */
const INCOMING = [
  { suffix: '4', key: 'ip daddr', type: 'ipv4_addr' },
  { suffix: '6', key: 'ip6 daddr', type: 'ipv6_addr' },
  // Needed if the kernel cannot forward a port. Then an Incus process on the host accepts the connections.
  { suffix: '_port', key: 'tcp dport', type: 'inet_service' },
]

interface HostSize {
  instances: number
  tableSize: number
}

interface ListOptions {
  listSize?: number
  idleSeconds?: number
}

interface Rate {
  perSecond: number
  burst: number
}

/** In the syntax of nft(8). Loading the rules replaces the earlier rules of the bridge. */
export function connectionLimitRules(
  bridge: string,
  { instances, tableSize }: HostSize,
  { listSize = LIST_SIZE, idleSeconds = IDLE_SECONDS }: ListOptions = {}
): string {
  const set = (name: string, type: string, seconds?: number, size = listSize) => {
    const timeout = seconds ? `dynamic,timeout; timeout ${seconds}s;` : 'dynamic;'
    return `  set ${name} { type ${type}; size ${size}; flags ${timeout} }`
  }
  const rate = ({ perSecond, burst }: Rate) =>
    `limit rate over ${perSecond}/second burst ${burst} packets`
  // Number of instances, rounded up to a power of two, so that the rules seldom change. Changed rules start with empty
  // counters.
  const divisor = 2 ** Math.ceil(Math.log2(Math.max(1, instances)))
  const rateOf = (name: keyof typeof NEW_SHARES, share: number) => {
    const entries = tableSize * NEW_SHARES[name] * share
    const perSecond = Math.floor(entries / (CLOSED_SECONDS + BURST_SECONDS))
    if (perSecond >= 1) return `${perSecond}/second burst ${perSecond * BURST_SECONDS} packets`
    // In a small table, the rate of an instance may be less than one connection per second.
    const burst = Math.max(
      1,
      Math.floor((entries * BURST_SECONDS) / (CLOSED_SECONDS + BURST_SECONDS))
    )
    const perMinute = Math.max(1, Math.floor(((entries - burst) / CLOSED_SECONDS) * 60))
    return `${perMinute}/minute burst ${burst} packets`
  }
  /**
   * Guarantees each key (such as a hardware address) its rate. The set has room for only as many keys as together get
   * `ASSURED_SHARE`.
   */
  const assured = (name: keyof typeof NEW_SHARES, key: string) =>
    `update @assured_${name} { ${key} limit rate ${rateOf(name, ASSURED_SHARE / divisor)} } return`
  const together = (name: keyof typeof NEW_SHARES) =>
    `limit rate over ${rateOf(name, 1 - ASSURED_SHARE)} counter name ${REFUSED_TOGETHER} drop`
  const open = (limit: number) => {
    const share = limit / (MAX_OUTGOING_CONNECTIONS + MAX_INCOMING_CONNECTIONS)
    return Math.min(limit, Math.max(1, Math.floor((tableSize * OPEN_SHARE * share) / divisor)))
  }
  /** Limits packets for each key (such as a hardware address). If the set is full, packets of new keys are rejected. */
  const limitBy = (
    packets: string,
    key: string,
    list: string,
    limit: string,
    rejectChain: string
  ) => {
    // `update` restarts an entry's timeout. Entries that count connections have no timeout, because the kernel removes
    // them.
    const verb = limit.startsWith('ct') ? 'add' : 'update'
    return [
      `${verb} @${list} { ${key} ${limit} } goto ${rejectChain}`,
      `${key} != @${list} goto ${rejectChain}`,
    ].map((rule) => `    ${packets && `${packets} `}${rule}`)
  }
  // Matches only the first packet of a connection. Without the second condition, all UDP packets of a connection
  // without a response would match.
  const isNew = 'ct state new ct status ! confirmed'
  const isQuery = `iifname "${bridge}" udp dport 53`
  const isAddressRequest = `iifname "${bridge}" udp dport 67`
  const forwarded = `iifname != "lo" tcp dport ${FORWARDED_PORTS}`
  const sent = `iifname "${bridge}" ${isNew}`
  const limitIncoming = (packets: string, { suffix, key }: { suffix: string; key: string }) => {
    const rejectChain = `refuse_incoming${suffix}`
    const count = `ct count over ${open(MAX_INCOMING_CONNECTIONS)}`
    return [
      ...limitBy(
        `${packets} ${isNew}`,
        key,
        `arriving${suffix}`,
        rate(MAX_NEW_INCOMING),
        rejectChain
      ),
      ...limitBy(`${packets} ${isNew}`, key, `incoming${suffix}`, count, rejectChain),
    ]
  }
  const [toAddress4, toAddress6, toPort] = INCOMING
  const content = [
    // Counts by hardware address, because an instance cannot change its hardware address. It can choose its IPv6
    // addresses, and sends DHCP requests from 0.0.0.0.
    ...['queries', 'addresses', 'pace'].map((name) => set(name, 'ether_addr', idleSeconds)),
    ...['queries', 'outgoing'].map((name) =>
      set(`assured_${name}`, 'ether_addr', idleSeconds, divisor)
    ),
    set('assured_incoming', 'ipv4_addr', idleSeconds, divisor),
    set('outgoing', 'ether_addr'),
    set('refused', 'ether_addr', REFUSED_SECONDS),
    ...INCOMING.flatMap(({ suffix, type }) => [
      set(`arriving${suffix}`, type, idleSeconds),
      set(`incoming${suffix}`, type),
      set(`refused${suffix}`, type, REFUSED_SECONDS),
    ]),
    `  counter ${REFUSED_TOGETHER} { }`,
    '  chain refuse_outgoing { update @refused { ether saddr counter }; drop; }',
    ...INCOMING.map(
      ({ suffix, key }) =>
        `  chain refuse_incoming${suffix} { update @refused${suffix} { ${key} counter }; drop; }`
    ),
    `  chain all_incoming { ${together('incoming')}; }`,
    '  chain untracked_queries {',
    '    type filter hook prerouting priority raw; policy accept;',
    `    ${isQuery} fib daddr . iif type local notrack`,
    '  }',
    '  chain answers_to_instances {',
    '    type filter hook output priority raw; policy accept;',
    `    oifname "${bridge}" udp sport 53 notrack`,
    '  }',
    '  chain limit_queries {',
    ...limitBy('', 'ether saddr', 'queries', rate(MAX_QUERIES), 'refuse_outgoing'),
    `    ${assured('queries', 'ether saddr')}`,
    `    ${together('queries')}`,
    '  }',
    '  chain limit_outgoing {',
    ...limitBy('', 'ether saddr', 'pace', rate(MAX_NEW_OUTGOING), 'refuse_outgoing'),
    ...limitBy(
      '',
      'ether saddr',
      'outgoing',
      `ct count over ${open(MAX_OUTGOING_CONNECTIONS)}`,
      'refuse_outgoing'
    ),
    `    ${assured('outgoing', 'ether saddr')}`,
    `    ${together('outgoing')}`,
    '  }',
    // A forward hook, and not a prerouting hook: with br_netfilter, packets pass prerouting before Incus drops forged
    // hardware addresses.
    '  chain from_instances {',
    '    type filter hook forward priority filter - 5; policy accept;',
    `    ${sent} jump limit_outgoing`,
    '  }',
    '  chain from_instances_to_host {',
    // Connections from instances to the host itself also use entries of the table.
    '    type filter hook input priority filter - 5; policy accept;',
    `    ${isQuery} jump limit_queries`,
    ...limitBy(
      isAddressRequest,
      'ether saddr',
      'addresses',
      rate(MAX_ADDRESS_REQUESTS),
      'refuse_outgoing'
    ),
    `    ${sent} jump limit_outgoing`,
    '  }',
    '  chain to_instances {',
    '    type filter hook forward priority filter - 5; policy accept;',
    ...limitIncoming(`oifname "${bridge}"`, toAddress4!),
    ...limitIncoming(`oifname "${bridge}"`, toAddress6!),
    `    oifname "${bridge}" ${isNew} ${assured('incoming', 'ip daddr')}`,
    `    oifname "${bridge}" ${isNew} jump all_incoming`,
    '  }',
    '  chain to_ports {',
    '    type filter hook input priority filter - 5; policy accept;',
    ...limitIncoming(forwarded, toPort!),
    `    ${forwarded} ${isNew} jump all_incoming`,
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

/** At this size, a full table stays within the allowed part of the memory. */
export function maxConntrackTableSize(memoryBytes = totalmem()): number {
  const entries = (memoryBytes * MAX_MEMORY_SHARE) / ENTRY_BYTES
  return Math.floor(entries / BUCKETS_PER_PAGE) * BUCKETS_PER_PAGE
}

export function conntrackTableSizeFor(instances: number, memoryBytes = totalmem()): number {
  const divisor = 2 ** Math.ceil(Math.log2(Math.max(1, instances)))
  const wanted = Math.max(USUAL_TABLE_SIZE, divisor * TABLE_ENTRIES_PER_INSTANCE)
  return Math.min(wanted, maxConntrackTableSize(memoryBytes))
}

/** Only the initial network namespace may change these settings. */
const READ_ONLY_MESSAGES: Record<string, (tableSize: number) => string> = {
  [TABLE_SIZE_SETTING]: (tableSize) =>
    `This machine does not let ${TABLE_SIZE_SETTING} be raised. Berth limits the connections of instances to their share ` +
    `of ${tableSize} entries. If this is a container, raise it on the machine outside`,
  [TABLE_BUCKETS_SETTING]: (tableSize) =>
    `This machine does not let ${TABLE_BUCKETS_SETTING} be raised to ${tableSize}. With a full connection tracking table ` +
    'each packet takes more processor time. If this is a container, raise it on the machine outside',
}

/**
 * Enlarges the connection tracking table. Never shrinks it. Outside the initial network namespace, the size cannot be
 * changed. `refused` lists the settings that could not be changed.
 * @returns `tableSize` is the number of entries from which the limits are computed. It is less than the table's size if
 * a full table would use too much memory
 */
export async function enlargeConntrackTable(
  instances: number,
  { proc = '/proc/sys', memoryBytes = totalmem() } = {}
): Promise<{ tableSize: number; refused: string[] }> {
  const maxSize = maxConntrackTableSize(memoryBytes)
  const refused: string[] = []
  const raise = async (name: string, wanted: number) => {
    const path = join(proc, ...name.split('.'))
    const read = async () => Number(await readFile(path, 'utf8').catch(() => NaN))
    const now = await read()
    if (!(now < wanted)) return now
    await writeFile(path, `${wanted}\n`).catch(() => refused.push(name))
    return read()
  }
  const size = await raise(TABLE_SIZE_SETTING, conntrackTableSizeFor(instances, memoryBytes))
  const tableSize = Math.min(size || KERNEL_TABLE_SIZE, maxSize)
  // One hash bucket per entry, as in the kernel's default. With fewer buckets, each packet would take longer.
  await raise(TABLE_BUCKETS_SETTING, tableSize)
  return { tableSize, refused }
}

/**
 * Highest number of instances on each bridge since this process started. Used instead of the current number: changed
 * rules start with empty counters, so a stopped instance must not change the rules.
 */
const highestInstanceCounts = new Map<string, number>()
/** This message is not reported again. */
let reportedMessage: string | undefined

async function measureHost(bridge: string, report: LineReporter): Promise<HostSize> {
  const ports = await readdir(`/sys/class/net/${bridge}/brif`).catch(() => [])
  const instances = Math.max(ports.length, highestInstanceCounts.get(bridge) ?? 0)
  highestInstanceCounts.set(bridge, instances)
  const { tableSize, refused } = await enlargeConntrackTable(instances)
  const [text] = refused.map((name) => READ_ONLY_MESSAGES[name]!(tableSize))
  if (text && text !== reportedMessage) report(text)
  reportedMessage = text
  return { instances, tableSize }
}

/** Neither Incus nor another installation changes this table. */
function tableOf(bridge: string): string {
  return `berth_${bridge}`
}

/**
 * An instance that fills the host's connection tracking table would make the host reject connections.
 * @returns whether rules were written
 */
export async function limitConnections(bridge: string, report: LineReporter): Promise<boolean> {
  const rules = connectionLimitRules(bridge, await measureHost(bridge, report))
  const [version] = /comment "\w+"/.exec(rules)!
  const present = await runForOutput('nft', ['list', 'table', 'inet', tableOf(bridge)]).catch(
    () => ''
  )
  // Also checks that some rules exist, because `nft flush table` deletes rules but keeps the table's comment.
  if ([version, 'hook prerouting', 'ct count over'].every((text) => present.includes(text))) {
    return false
  }
  await runForOutput('nft', ['-f', '-'], { input: rules })
  return true
}

export async function unlimitConnections(bridge: string): Promise<void> {
  await runForOutput('nft', ['delete', 'table', 'inet', tableOf(bridge)]).catch(() => {})
}

/** Writes the limits again if the firewall was reloaded, and reports rejected connections to the console. */
export async function watchConnectionLimits(options: {
  bridge: string
  socket: string
  signal: AbortSignal
  report: LineReporter
}): Promise<void> {
  const { bridge, socket, signal, report } = options
  const incus = Incus.local(socket)
  const before = new Map<string, number>()
  let togetherBefore = 0
  while (!signal.aborted) {
    try {
      if (await limitConnections(bridge, report)) report('Limited the connections of instances')
      await reportRejected(incus, await countRejectedConnections(bridge), before)
      const together = await countRefusedTogether(bridge)
      if (together > togetherBefore) {
        report(`All instances together opened too many connections: ${together} were refused`)
      }
      togetherBefore = together
    } catch (error) {
      report(`Connections could not be limited: ${(error as Error).message}`)
    }
    await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
  await incus.close()
}

/** The key is the sender's hardware address, the destination address or the forwarded port. */
export async function countRejectedConnections(bridge: string): Promise<Map<string, number>> {
  const table = await runForOutput('nft', ['list', 'table', 'inet', tableOf(bridge)])
  const matches = table.matchAll(
    /([0-9a-f.:]+)(?: timeout \w+)?(?: expires \w+)? counter packets (\d+) bytes/g
  )
  return new Map([...matches].map(([, key, count]) => [key!, Number(count)]))
}

async function countRefusedTogether(bridge: string): Promise<number> {
  const text = await runForOutput('nft', [
    'list',
    'counter',
    'inet',
    tableOf(bridge),
    REFUSED_TOGETHER,
  ])
  return Number(/packets (\d+)/.exec(text)?.[1] ?? 0)
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
