import { ISOLATION_SETTINGS, DENIED_SYSCALLS_CONFIG_KEY } from '#hosts/public_effects'
import { withTemporaryDiskSpace } from '#instances/containers/limits'
import type { Incus, Instance } from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'

/**
 * Config key: the start time (`last_used_at`) of a container that was running when its system call filter was set.
 * While this start lasts, the filter does not apply.
 */
const UNFILTERED_START_KEY = 'user.berth.unfiltered.start'

/** Config key: whether Incus restarts an instance that stopped without a request. */
export const AUTORESTART_CONFIG_KEY = 'boot.autorestart'

const ISOLATED_KEY = 'security.idmap.isolated'
/** Number of user ids in the private range that Incus assigns to a container. */
const IDS_PER_CONTAINER = 65_536

/**
 * The system call filter and the private range of user ids take effect at the next start, other settings at once. If
 * the host has no free range left (/etc/subuid), the container shares ids with others, and a warning is logged.
 * @param config the container's current Incus config
 * @param isOff whether the container was stopped on purpose; its automatic restart may then be off
 */
export function ensureIsolation(
  incus: Incus,
  name: string,
  config: Record<string, string>,
  isOff = false
): Promise<void> {
  return withTemporaryDiskSpace(incus, name, () => applyIsolation(incus, name, config, isOff))
}

/** Returns whether the system call filter applies only after a restart. */
export function needsRestart({ status, config, last_used_at: start }: Instance): boolean {
  return status === 'Running' && start !== undefined && config[UNFILTERED_START_KEY] === start
}

/** Config key. Value: `count bytes`, written by the host (cli/host/pool_quotas.ts). */
const SUBVOLUMES_KEY = 'user.berth.subvolumes'

/** Null: the container has no btrfs subvolumes. */
export function parseSubvolumeUse(
  config: Record<string, string>
): { count: number; bytes: number } | null {
  const [, count, bytes] = /^(\d+) (\d+)$/.exec(config[SUBVOLUMES_KEY] ?? '') ?? []
  return Number(count) > 0 ? { count: Number(count), bytes: Number(bytes) } : null
}

/** Config key. Value: ISO time of the last OOM kill, written by cli/host/oom_kills.ts. */
export const MEMORY_FULL_CONFIG_KEY = 'user.berth.memory.full'

/** Config key. Value: rejected connections as `count ISO-time`, written by cli/host/connection_limits.ts. */
const REFUSED_CONNECTIONS_KEY = 'user.berth.connections.refused'
const REFUSED_CONNECTIONS_SHOWN_MS = 3_600_000

/** Null: the host rejected no connections in the last hour. */
export function readRejectedConnections(config: Record<string, string>): number | null {
  const [count, at] = (config[REFUSED_CONNECTIONS_KEY] ?? '').split(' ')
  const isRecent = Date.now() - Date.parse(at ?? '') < REFUSED_CONNECTIONS_SHOWN_MS
  return isRecent ? Number(count) : null
}

/** @param isOff whether the container was stopped on purpose */
export function isIsolated(config: Record<string, string>, isOff = false): boolean {
  if (missingSettings(config, isOff).length > 0) return false
  return config[ISOLATED_KEY] !== undefined || !idRange(config)
}

function missingSettings(config: Record<string, string>, isOff: boolean): [string, string][] {
  return Object.entries(ISOLATION_SETTINGS).filter(([key, value]) => {
    if (isOff && key === AUTORESTART_CONFIG_KEY && config[key] === 'false') return false
    return config[key] !== value
  })
}

async function applyIsolation(
  incus: Incus,
  name: string,
  config: Record<string, string>,
  isOff: boolean
): Promise<void> {
  const missing = missingSettings(config, isOff)
  const shared = config[ISOLATED_KEY] === undefined ? idRange(config) : null
  if (shared) missing.push([ISOLATED_KEY, 'true'])
  if (missing.length === 0) return
  if (missing.some(([key]) => key === DENIED_SYSCALLS_CONFIG_KEY)) {
    const { status, last_used_at: start } = await incus.instances.get(name)
    if (status === 'Running' && start) missing.push([UNFILTERED_START_KEY, start])
  }
  await incus.instances.patch(name, { config: Object.fromEntries(missing) })
  if (!shared) return
  // Incus assigns the next free ids, even beyond the end of the host's range.
  const base = Number((await incus.instances.get(name)).config['volatile.idmap.base'])
  if (base + IDS_PER_CONTAINER <= shared.end) return
  await incus.instances.patch(name, { config: { [ISOLATED_KEY]: 'false' } })
  logger.warn(
    { instance: name },
    'no free range of user IDs: the instance shares its range with others'
  )
}

/**
 * Returns the end of the container's range of user ids. Without a private range, that is the end of the host's whole
 * range. Null: none assigned yet.
 */
function idRange(config: Record<string, string>): { end: number } | null {
  const text = config['volatile.idmap.next'] ?? config['volatile.idmap.current']
  if (!text) return null
  const [first] = JSON.parse(text) as { Hostid: number; Maprange: number }[]
  return first ? { end: first.Hostid + first.Maprange } : null
}
