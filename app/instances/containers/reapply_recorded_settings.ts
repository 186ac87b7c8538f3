import { audit } from '#core/audit/audit'
import { applyLimits, withTemporaryDiskSpace } from '#instances/containers/limits'
import {
  arePortsForwarded,
  EDGE_PORT_NAME_PREFIX,
  forwardRecordedPorts,
  portDeviceName,
  parsePorts,
} from '#instances/containers/ports'
import { removeDevices } from '#instances/containers/update_container'
import type ServerInstance from '#instances/models/server_instance'
import { runRestoreHooks } from '#instances/restore_hooks'
import { APPLIED_CONFIG_KEY, type Incus, type Instance } from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

/**
 * Incus changes this id when it restores a snapshot or copies an instance. An import keeps it, therefore `berth restore`
 * changes the mark.
 */
const GENERATION_KEY = 'volatile.uuid.generation'
/** The mark of a container that Berth has just created. */
const CREATED = 'created'
/** Settings of a new container. */
export const NEW_CONTAINER_MARK_CONFIG: Record<string, string> = { [APPLIED_CONFIG_KEY]: CREATED }

/**
 * Whether a container is to get its records again. The mark belongs to the container, so an older disk comes back with
 * an older mark or without one.
 */
export function needsRecordedSettingsReapplied({ config }: Pick<Instance, 'config'>): boolean {
  const { [APPLIED_CONFIG_KEY]: mark, [GENERATION_KEY]: generation } = config
  return mark !== generation && !(mark === CREATED && !generation)
}

/** Applies the records if the container lacks them. A failure is logged, and the next round tries again. */
export async function reapplyRecordedSettingsIfNeeded(
  row: ServerInstance,
  container: Instance,
  incus: Incus
): Promise<void> {
  if (!needsRecordedSettingsReapplied(container)) return
  await applyRecords(row, container, incus).catch((error: unknown) =>
    logger.warn({ err: error, name: container.name }, 'a restored instance lacks its records')
  )
}

/**
 * Makes a container match the records again after its disk was replaced by an older one: forwarded ports, a larger
 * disk, and by hooks everything that other modules changed inside it.
 */
async function applyRecords(row: ServerInstance, container: Instance, incus: Incus): Promise<void> {
  const { name, status, config } = container
  const mark = config[APPLIED_CONFIG_KEY]
  const isCertain = mark !== undefined && mark !== CREATED
  if (mark !== CREATED) {
    await applyPorts(row, container, incus)
    const disk = row.diskBytes
    if (Number(container.devices.root?.size) < disk)
      await applyLimits(incus, name, { ...row.limits, disk })
    await runRestoreHooks(row, { isCertain, isRunning: status === 'Running' })
  }
  const applied = { [APPLIED_CONFIG_KEY]: config[GENERATION_KEY] ?? CREATED }
  await withTemporaryDiskSpace(incus, name, () => incus.instances.patch(name, { config: applied }))
  // Last: an instance that refuses the mark gets all of it again each minute, but no entry each minute.
  if (!isCertain) return
  await audit({
    actor: null,
    accountId: row.accountId,
    action: 'instance.found_restored',
    subject: { type: 'server_instance', id: row.id, label: row.name },
  })
}

/** An old device may forward a port that belongs to another instance by now. */
async function applyPorts(
  row: ServerInstance,
  { name, devices }: Instance,
  incus: Incus
): Promise<void> {
  if (!arePortsForwarded(devices, parsePorts(row.ports), row))
    await forwardRecordedPorts(incus, name, row)
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
  // The edge opens them again.
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
