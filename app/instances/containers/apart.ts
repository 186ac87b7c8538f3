import { withRoom } from '#instances/containers/limits'
import type { Incus } from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'

/**
 * What every instance is made with: nothing is told inside of the settings by which we know it, and
 * a leak of memory ends at its own limit instead of filling the host's swap.
 */
export const APART = { 'security.guestapi': 'false', 'limits.memory.swap': 'false' }

const ISOLATED = 'security.idmap.isolated'
/** Ids that Incus gives to a container with a range of its own. */
const IDS = 65_536

/**
 * Gives a container what keeps it apart, where it has not got it yet: the settings above at once, a
 * range of user ids of its own with its next start. Where the host's range (/etc/subuid) has no
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
