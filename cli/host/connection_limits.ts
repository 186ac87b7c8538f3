import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus } from '../../packages/incus/main.ts'
import { run } from './run.ts'
import type { Report } from './run.ts'

/**
 * Connections that an instance may have open at once, of any protocol. A site with 500 visitors and a remote
 * database has some hundreds. The host's table holds 262,144 by default for all instances together; Berth
 * raises it (kernel_limits.ts).
 */
const MAX_OUTGOING = 4_096
/** Connections from outside through a forwarded port of the host: visitors count here. */
const MAX_INCOMING = 8_192
/**
 * New connections of an instance per second, on average and at once. Closed connections no longer count
 * above, but stay in the table for two minutes: at most another 12,000.
 */
const MAX_NEW_PER_SECOND = 100
const MAX_NEW_BURST = 2_000
const CHECK_EVERY_MS = 10_000
/** The setting in Incus that reports refused connections to the console: `count ISO-time`. */
const REPORT = 'user.berth.connections.refused'

/** Returns the rules for a bridge in nft(8) syntax. Loading them replaces older ones. */
export function connectionRules(bridge: string): string {
  const families = [
    { suffix: '4', ip: 'ip', type: 'ipv4_addr' },
    { suffix: '6', ip: 'ip6', type: 'ipv6_addr' },
  ]
  const sets = families.flatMap(({ suffix, type }) =>
    ['outgoing', 'incoming', 'pace', 'refused'].map(
      (name) => `  set ${name}${suffix} { type ${type}; size 65535; flags dynamic; }`
    )
  )
  const refuse = families.flatMap(({ suffix, ip }) => [
    `  chain refuse_outgoing${suffix} { update @refused${suffix} { ${ip} saddr counter }; drop; }`,
    `  chain refuse_incoming${suffix} { update @refused${suffix} { ${ip} daddr counter }; drop; }`,
  ])
  const outgoing = families.flatMap(({ suffix, ip }) => [
    `    iifname "${bridge}" ct state new add @pace${suffix} { ${ip} saddr limit rate over ${MAX_NEW_PER_SECOND}/second burst ${MAX_NEW_BURST} packets } goto refuse_outgoing${suffix}`,
    `    iifname "${bridge}" ct state new add @outgoing${suffix} { ${ip} saddr ct count over ${MAX_OUTGOING} } goto refuse_outgoing${suffix}`,
  ])
  const incoming = families.map(
    ({ suffix, ip }) =>
      `    oifname "${bridge}" ct state new add @incoming${suffix} { ${ip} daddr ct count over ${MAX_INCOMING} } goto refuse_incoming${suffix}`
  )
  const content = [
    ...sets,
    ...refuse,
    '  chain from_instances {',
    // At prerouting, because connections to the host itself also fill the table.
    '    type filter hook prerouting priority mangle; policy accept;',
    ...outgoing,
    '  }',
    '  chain to_instances {',
    '    type filter hook forward priority filter - 5; policy accept;',
    ...incoming,
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
      await reportRefused(incus, await refusedConnections(bridge), before)
    } catch (error) {
      report(`Connections could not be limited: ${(error as Error).message}`)
    }
    await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
  await incus.close()
}

/** Returns the number of refused packets of new connections by the address of the instance. */
export async function refusedConnections(bridge: string): Promise<Map<string, number>> {
  const table = await run('nft', ['list', 'table', 'inet', tableOf(bridge)])
  const found = table.matchAll(/([0-9a-f.:]+) counter packets (\d+) bytes/g)
  return new Map([...found].flatMap(([, ip, count]) => (isIP(ip!) ? [[ip!, Number(count)]] : [])))
}

async function reportRefused(
  incus: Incus,
  refused: Map<string, number>,
  before: Map<string, number>
): Promise<void> {
  const grown = [...refused].filter(([ip, count]) => count > (before.get(ip) ?? 0))
  if (grown.length === 0) return
  const instances = await incus.instances.list()
  for (const [ip, count] of grown) {
    before.set(ip, count)
    const instance = instances.find(({ devices }) => devices.eth0?.['ipv4.address'] === ip)
    if (!instance) continue
    const config = { [REPORT]: `${count} ${new Date().toISOString()}` }
    await incus.instances.patch(instance.name, { config })
  }
}
