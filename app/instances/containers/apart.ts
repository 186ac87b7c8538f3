import { APART, SYSCALLS } from '#hosts/public'
import { withRoom } from '#instances/containers/limits'
import type { Incus, Instance } from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'

/** The start of a container (`last_used_at`) that was before the filter of system calls was set. */
const UNFILTERED_START = 'user.berth.unfiltered.start'

const ISOLATED = 'security.idmap.isolated'
/** Ids that Incus gives to a container with a range of its own. */
const IDS = 65_536

/**
 * Gives a container what keeps it apart, where it has not got it yet: the settings above at once, the
 * filter of system calls and a range of user ids of its own with its next start. Where the host's range (/etc/subuid) has no
 * room for one more it shares that of the others, and the log says so.
 * @param config its settings, as Incus has just told them
 */
export function keepApart(
  incus: Incus,
  name: string,
  config: Record<string, string>
): Promise<void> {
  return withRoom(incus, name, () => setApart(incus, name, config))
}

/** Whether a running container gets its filter of system calls only with its next start. */
export function needsRestart({ status, config, last_used_at: start }: Instance): boolean {
  return status === 'Running' && start !== undefined && config[UNFILTERED_START] === start
}

/** Written by the host: `count bytes` of subvolumes in the instance (cli/host/pool_quotas.ts). */
const SUBVOLUMES = 'user.berth.subvolumes'

/** The btrfs subvolumes that were created in a container, with their bytes; null where there are none. */
export function subvolumesIn(
  config: Record<string, string>
): { count: number; bytes: number } | null {
  const [, count, bytes] = /^(\d+) (\d+)$/.exec(config[SUBVOLUMES] ?? '') ?? []
  return Number(count) > 0 ? { count: Number(count), bytes: Number(bytes) } : null
}

/** Written by the host when the instance ended because its memory was full: ISO time (cli/host/memory_deaths.ts). */
export const MEMORY_FULL = 'user.berth.memory.full'

/** Written by the host: `count ISO-time` of refused connections (cli/host/connection_limits.ts). */
const REFUSED_CONNECTIONS = 'user.berth.connections.refused'
/** How long staff see it after the last one. */
const REFUSED_SHOWN_MS = 3_600_000

/** The connections that the host refused to an instance, if it still did in the last hour. */
export function refusedConnectionsOf(config: Record<string, string>): number | null {
  const [count, at] = (config[REFUSED_CONNECTIONS] ?? '').split(' ')
  const isRecent = Date.now() - Date.parse(at ?? '') < REFUSED_SHOWN_MS
  return isRecent ? Number(count) : null
}

/** Whether it has all of that, as far as this host can give it. */
export function isKeptApart(config: Record<string, string>): boolean {
  return missingIn(config).length === 0 && (config[ISOLATED] !== undefined || !rangeOf(config))
}

function missingIn(config: Record<string, string>): [string, string][] {
  return Object.entries(APART).filter(([key, value]) => config[key] !== value)
}

async function setApart(incus: Incus, name: string, config: Record<string, string>): Promise<void> {
  const missing = missingIn(config)
  const shared = config[ISOLATED] === undefined ? rangeOf(config) : null
  if (shared) missing.push([ISOLATED, 'true'])
  if (missing.length === 0) return
  if (missing.some(([key]) => key === SYSCALLS)) {
    const { status, last_used_at: start } = await incus.instances.get(name)
    if (status === 'Running' && start) missing.push([UNFILTERED_START, start])
  }
  await incus.instances.patch(name, { config: Object.fromEntries(missing) })
  if (!shared) return
  // Incus counts on from the range of the one before, also beyond what the host has.
  const given = Number((await incus.instances.get(name)).config['volatile.idmap.base'])
  if (given + IDS <= shared.end) return
  await incus.instances.patch(name, { config: { [ISOLATED]: 'false' } })
  logger.warn({ instance: name }, 'no range of user ids is left: it shares one with others')
}

/** The range of ids that a container shares with others, which is the host's; null when not known. */
function rangeOf(config: Record<string, string>): { end: number } | null {
  const text = config['volatile.idmap.next'] ?? config['volatile.idmap.current']
  if (!text) return null
  const [first] = JSON.parse(text) as { Hostid: number; Maprange: number }[]
  return first ? { end: first.Hostid + first.Maprange } : null
}
