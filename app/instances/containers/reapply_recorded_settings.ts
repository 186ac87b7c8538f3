import { audit } from '#core/audit/audit'
import { raiseLimits, resizeDisk, withTemporaryDiskSpace } from '#instances/containers/limits'
import {
  EDGE_PORT_NAME_PREFIX,
  forwardFreePorts,
  portDeviceName,
} from '#instances/containers/ports'
import { removeDevices } from '#instances/containers/update_container'
import { loadInstanceHost } from '#instances/instance_machines'
import type ServerInstance from '#instances/models/server_instance'
import { listRestoreHooks } from '#instances/restore_hooks'
import { findRunningBoost } from '#instances/runtime_limits'
import {
  APPLIED_AT_CONFIG_KEY,
  RECORDS_APPLIED_MARK_KEY,
  type Incus,
  type Instance,
  isIncusError,
} from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/**
 * Config key: UUID of the disk's content. Incus changes it when it restores a snapshot or copies an instance, but not
 * when it imports a backup. `berth restore` therefore changes `RECORDS_APPLIED_MARK_KEY` instead.
 */
const GENERATION_KEY = 'volatile.uuid.generation'
/** Value of `RECORDS_APPLIED_MARK_KEY` in a new container. */
const CREATED = 'created'
export function recordsAppliedMarkConfig(): Record<string, string> {
  return { [RECORDS_APPLIED_MARK_KEY]: CREATED, [APPLIED_AT_CONFIG_KEY]: new Date().toISOString() }
}

export interface UnappliedPart {
  part: string
  reason: string
}

/**
 * Parsed value of `RECORDS_APPLIED_MARK_KEY`. The value names the disk generation for which Berth
 * applied the recorded settings: `GENERATION`, or, while some parts are not applied yet,
 * `GENERATION certain|uncertain PART…` (`isCertain`, `pending`).
 */
interface Mark {
  isCurrent: boolean
  /** Whether it is certain that the disk was restored. Without a mark, an earlier release may have created the disk. */
  isCertain: boolean
  pending: string[]
}

type Config = Pick<Instance, 'config'>

function parseMark({ config }: Config): Mark {
  const { [RECORDS_APPLIED_MARK_KEY]: mark, [GENERATION_KEY]: generation } = config
  if (mark === undefined) return { isCurrent: false, isCertain: false, pending: [] }
  const [id, certainty, ...pending] = mark.split(' ')
  if (id === (generation ?? CREATED))
    return { isCurrent: true, isCertain: certainty === 'certain', pending }
  return { isCurrent: false, isCertain: mark !== CREATED, pending: [] }
}

/**
 * Returns whether recorded settings must be applied: the disk was restored, some parts are pending, or the saved time
 * is missing. A restored disk has an older mark or none.
 */
export function needsRecordedSettingsReapplied(container: Config): boolean {
  const { isCurrent, pending } = parseMark(container)
  return !isCurrent || pending.length > 0 || !container.config[APPLIED_AT_CONFIG_KEY]
}

export function isRestorePartPending(container: Config, part: string): boolean {
  const { isCurrent, pending } = parseMark(container)
  return !isCurrent || pending.includes(part)
}

export function listPendingRestoreParts(container: Config): string[] {
  return parseMark(container).pending
}

/**
 * Never throws: logs a failure, and the next reconciliation tries again.
 * @returns the parts that could not be applied
 */
export async function reapplyRecordedSettingsIfNeeded(
  row: ServerInstance,
  container: Instance,
  incus: Incus
): Promise<UnappliedPart[]> {
  if (!needsRecordedSettingsReapplied(container)) return []
  return applyRecords(row, container, incus).catch((error: unknown) => {
    logger.warn(
      { err: error, name: container.name },
      'the recorded settings of a restored instance could not be applied'
    )
    return [{ part: 'mark', reason: messageOf(error) }]
  })
}

/**
 * Applies the recorded settings to a restored disk: forwarded ports, disk size, a running boost, and the restore hooks
 * of other modules. A failed part does not block the others: its name is saved in the container's config
 * (`RECORDS_APPLIED_MARK_KEY`), and the next reconciliation repeats only the failed parts.
 */
async function applyRecords(
  row: ServerInstance,
  container: Instance,
  incus: Incus
): Promise<UnappliedPart[]> {
  const { name, config } = container
  const { isCurrent, isCertain, pending } = parseMark(container)
  const isNew = !isCurrent && config[RECORDS_APPLIED_MARK_KEY] === CREATED
  const parts = isNew ? [] : recordParts(row, container, incus, isCertain)
  const due = isCurrent ? parts.filter(({ part }) => pending.includes(part)) : parts
  const unapplied: UnappliedPart[] = []
  for (const { part, apply } of due) {
    try {
      await apply()
    } catch (error) {
      if (isIncusError(error, 'unreachable')) throw error
      logger.warn(
        { err: error, name, part },
        'a recorded setting of a restored instance could not be applied'
      )
      unapplied.push({ part, reason: messageOf(error) })
    }
  }
  const generation = config[GENERATION_KEY] ?? CREATED
  const missing = unapplied.map(({ part }) => part).join(' ')
  const applied: Record<string, string> = {
    [RECORDS_APPLIED_MARK_KEY]: missing
      ? `${generation} ${isCertain ? 'certain' : 'uncertain'} ${missing}`
      : generation,
  }
  // A restored disk keeps its saved time: it may contain sites of projects deleted later, and the time shows which of
  // them to close. The current time is saved only if no time is saved or the restore is uncertain.
  if (!missing && !(isCertain && config[APPLIED_AT_CONFIG_KEY]))
    applied[APPLIED_AT_CONFIG_KEY] = new Date().toISOString()
  if (missing && applied[RECORDS_APPLIED_MARK_KEY] === config[RECORDS_APPLIED_MARK_KEY])
    return unapplied
  await withTemporaryDiskSpace(incus, name, () => incus.instances.patch(name, { config: applied }))
  // Writes the audit entry only after the mark is saved. If the mark cannot be saved, all parts are repeated each
  // minute, and each run would add an entry.
  if (isCertain && (!missing || !isCurrent)) await auditRestore(row, unapplied)
  return unapplied
}

async function auditRestore(row: ServerInstance, unapplied: UnappliedPart[]): Promise<void> {
  await audit({
    actor: null,
    accountId: row.accountId,
    action: unapplied.length ? 'instance.found_restored_partly' : 'instance.found_restored',
    subject: { type: 'server_instance', id: row.id, label: row.name },
    after: unapplied.length ? { not_applied: unapplied } : undefined,
  })
}

interface RecordPart {
  part: string
  apply(): Promise<void>
}

function recordParts(
  row: ServerInstance,
  container: Instance,
  incus: Incus,
  isCertain: boolean
): RecordPart[] {
  const appliedAt = DateTime.fromISO(container.config[APPLIED_AT_CONFIG_KEY] ?? '')
  const info = {
    isCertain,
    isRunning: container.status === 'Running',
    recordsAppliedAt: appliedAt.isValid ? appliedAt : null,
  }
  return [
    { part: 'disk', apply: () => applyDisk(row, container, incus) },
    { part: 'ports', apply: () => applyPorts(row, container, incus) },
    { part: 'edge-ports', apply: () => applyEdgePorts(row, container.name, incus) },
    { part: 'boost', apply: () => applyBoost(row, container, incus) },
    ...listRestoreHooks().map(({ part, run }) => ({ part, apply: () => run(row, info) })),
  ]
}

/** A device from the restored config may forward a port that now belongs to another instance. */
async function applyPorts(row: ServerInstance, container: Instance, incus: Incus): Promise<void> {
  const rejected = await forwardFreePorts(incus, container, row)
  if (rejected.length)
    throw new Error(rejected.map(({ port, reason }) => `port ${port}: ${reason}`).join('; '))
}

async function applyEdgePorts(row: ServerInstance, name: string, incus: Incus): Promise<void> {
  const { devices } = await incus.instances.get(name)
  const leases: { name: string; port: number }[] = await db
    .from('port_leases')
    .where('server_instance_id', row.id)
    .whereLike('name', `${EDGE_PORT_NAME_PREFIX}%`)
    .select('name', 'port')
  const ofEdge = Object.keys(devices).filter((one) =>
    one.startsWith(portDeviceName(EDGE_PORT_NAME_PREFIX))
  )
  const expected = new Map(leases.map((lease) => [portDeviceName(lease.name), lease]))
  const leadsTo = (device: string) =>
    devices[device]?.listen?.endsWith(`:${expected.get(device)?.port}`)
  const stale = ofEdge.filter((device) => !leadsTo(device))
  if (stale.length) await removeDevices(incus, name, stale)
  // Deletes the leases of missing ports. The edge then leases and forwards these ports again.
  const missing = [...expected].filter(([device]) => !leadsTo(device))
  await db
    .from('port_leases')
    .where('server_instance_id', row.id)
    .whereIn(
      'name',
      missing.map(([, lease]) => lease.name)
    )
    .delete()
}

async function applyDisk(
  { diskBytes }: ServerInstance,
  { name, devices }: Instance,
  incus: Incus
): Promise<void> {
  if (Number(devices.root?.size) < diskBytes) await resizeDisk(incus, name, diskBytes)
}

/** Raises the limits again if Build Mode is running, because a snapshot contains older limits. */
async function applyBoost(row: ServerInstance, { name }: Instance, incus: Incus): Promise<void> {
  if (!row.boostedUntil) return
  const boost = findRunningBoost(row.boostedUntil, row.limits, await loadInstanceHost(row))
  if (!boost) return
  const raised = { to: boost.to, back: row.limits, until: boost.until }
  await withTemporaryDiskSpace(incus, name, () => raiseLimits(incus, name, raised))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Saves a time: the disk contains all project deletions before it. Backups and snapshots contain this time, so that a
 * restore knows which deletions to repeat.
 */
export async function saveProjectDeletionsAppliedAt(
  incus: Incus,
  name: string,
  at: DateTime
): Promise<void> {
  const config = { [APPLIED_AT_CONFIG_KEY]: at.toUTC().toISO()! }
  await withTemporaryDiskSpace(incus, name, () => incus.instances.patch(name, { config }))
}
