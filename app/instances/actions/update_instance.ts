import type { HeldLock } from '#core/locks'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import type Operation from '#core/models/operation'
import { invalid } from '#core/app_error'
import { translateUniqueKeys } from '#core/unique_keys'
import { hostUnreachable, HostInstance } from '#hosts/public'
import { listHostAddresses, incusClientFor, isCreatedByBerth } from '#hosts/public_effects'
import { resizeInstance } from '#instances/actions/instance_lifecycle'
import { instanceLabels, CLEARED_LABELS, instanceIdOfContainer } from '#instances/containers/labels'
import {
  isTcpPortOpen,
  arePortsForwarded,
  EDGE_PORT_NAME_PREFIX,
  forwardRecordedPorts,
  type ForwardedPort,
  parsePorts,
  withoutPortDevices,
} from '#instances/containers/ports'
import { type UndoFunction, updateContainer } from '#instances/containers/update_container'
import { withInstanceLock } from '#instances/instance_lock'
import { closeInstanceConnections } from '#instances/instance_machines'
import ServerInstance from '#instances/models/server_instance'
import { assertInstanceCan } from '#instances/states/instance'
import { type Incus, type Instance, isIncusError, nullIfNotFound } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface InstanceUpdate {
  ip: string
  username?: string | null
  system_id?: string
  ports?: Record<string, number>
  server_package_id?: number
  /** Default: the instance's current package version, or the version on sale of another package. */
  package_version?: number
}

interface LoadedInstance {
  instance: ServerInstance
  host: HostInstance
  incus: Incus
  /** The container that the instance has after the update. Null: no container exists yet. */
  container: Instance | null
  /** The new forwarded ports. Null: unchanged. */
  rows: ForwardedPort[] | null
}

/**
 * Applies all changes or none (docs/product.md, "Machines"). Checks everything, then changes Incus, then saves all
 * rows in one transaction. If saving fails, undoes the changes in Incus.
 * @returns the resize operation if the package or its version changes, otherwise null
 * @throws 422 for an invalid field; 409 if the status forbids the change or the host has no capacity; 503 if the host
 * does not respond
 */
export async function updateInstance(
  actor: Actor,
  instanceId: number,
  { server_package_id: packageId, package_version: seen, ...fields }: InstanceUpdate,
  ip?: string
): Promise<Operation | null> {
  const update = async (lock: HeldLock) => {
    const loaded = await loadForUpdate(instanceId, fields)
    let putBack: UndoFunction = async () => {}
    try {
      const save = async (trx: TransactionClientContract) => {
        const row = await saveUpdate(actor, loaded, fields, trx, ip)
        const serverPackageId = packageId ?? row.serverPackageId
        return (await has(row, serverPackageId, seen))
          ? null
          : resizeInstance(actor, instanceId, { serverPackageId, seen }, ip, trx)
      }
      await rehearse(save)
      const wanted = await ServerInstance.findOrFail(instanceId)
      putBack = await followContainer(loaded, mergeFields(wanted, loaded, fields))
      return await db.transaction(async (trx) => {
        const operation = await save(trx)
        await lock.assertHeld(trx)
        return operation
      })
    } catch (error) {
      await putBack()
      throw toUpdateError(error, loaded.host.name)
    }
  }
  return translateUniqueKeys(uniqueKeys, () => withInstanceLock(instanceId, update))
}

/**
 * Runs `save` in a transaction and rolls it back, to find errors before Incus is changed. Moving ports in Incus and
 * back would close open connections. The transaction ends before Incus is called.
 */
async function rehearse(save: (trx: TransactionClientContract) => Promise<unknown>): Promise<void> {
  const trx = await db.transaction()
  try {
    await save(trx)
  } finally {
    await trx.rollback()
  }
}

async function has(row: ServerInstance, serverPackageId: number, seen?: number): Promise<boolean> {
  if (serverPackageId !== row.serverPackageId) return false
  if (seen === undefined) return true
  await row.load('packageVersion')
  return row.packageVersion.number === seen
}

async function loadForUpdate(instanceId: number, fields: InstanceUpdate): Promise<LoadedInstance> {
  const instance = await ServerInstance.findOrFail(instanceId)
  assertInstanceCan('update', instance)
  const host = await HostInstance.findOrFail(instance.hostInstanceId)
  const incus = incusClientFor(host)
  try {
    if (fields.ip !== host.ip && fields.ip !== instance.ip) {
      const addresses = await listHostAddresses(host, incus)
      if (!addresses.includes(fields.ip)) {
        const known = addresses.join(', ')
        throw invalid({
          ip: `The host ${host.name} does not have this address. Its addresses are ${known}.`,
        })
      }
    }
    const systemId = fields.system_id ?? instance.systemId
    const container =
      systemId === instance.systemId
        ? systemId && (await nullIfNotFound(incus.instances.get(systemId)))
        : await findContainerToAdopt(instance, systemId!, incus)
    const rows = fields.ports ? parsePorts(fields.ports) : null
    if (rows) await assertPorts(instance, host, rows, fields.ip)
    if (rows?.length && !container)
      throw invalid({
        ports: 'The instance has no container yet, so ports cannot be forwarded to it.',
      })
    return { instance, host, incus, container: container || null, rows }
  } catch (error) {
    if (isIncusError(error, 'unreachable', 'timed_out')) throw hostUnreachable(host.name, error)
    throw error
  }
}

/** @throws 422 if there is no container with the name, or it belongs to another instance */
async function findContainerToAdopt(
  instance: ServerInstance,
  name: string,
  incus: Incus
): Promise<Instance> {
  const taken = await ServerInstance.query().where('systemId', name).first()
  if (taken) throw invalid({ system_id: 'Another server instance has this name in Incus.' })
  const container = await nullIfNotFound(incus.instances.get(name))
  if (!container) throw invalid({ system_id: 'Incus on this host has no instance with this name.' })
  if (isCreatedByBerth(container) && (await instanceIdOfContainer(container)) !== instance.id) {
    throw invalid({ system_id: 'This container belongs to another server instance.' })
  }
  return container
}

async function assertPorts(
  instance: ServerInstance,
  host: HostInstance,
  rows: ForwardedPort[],
  address: string
): Promise<void> {
  if (instance.ports.ssh && !rows.some(({ name }) => name === 'ssh')) {
    throw invalid({ ports: 'Keep the line for ssh. Berth itself connects through it.' })
  }
  const leases = await db
    .from('port_leases')
    .where('host_instance_id', host.id)
    .whereIn(
      'port',
      rows.map(({ port }) => port)
    )
    .select('port', 'server_instance_id')
  for (const { name, port } of rows) {
    const lease = leases.find((one) => one.port === port)
    if (lease && lease.server_instance_id !== instance.id) {
      throw invalid({ ports: `Port ${port} is already forwarded to another server instance.` })
    }
    // Kernel NAT would redirect the port away from a host program that listens on it.
    if (!lease && instance.ports[name] !== port && (await isTcpPortOpen(address, port))) {
      throw invalid({ ports: `Another program on the host already uses port ${port}.` })
    }
  }
}

async function saveUpdate(
  actor: Actor,
  loaded: LoadedInstance,
  fields: InstanceUpdate,
  trx: TransactionClientContract,
  ip?: string
): Promise<ServerInstance> {
  const row = await ServerInstance.query({ client: trx })
    .where('id', loaded.instance.id)
    .forUpdate()
    .firstOrFail()
  assertInstanceCan('update', row)
  const before = auditData(row)
  mergeFields(row, loaded, fields)
  if (loaded.rows) await saveLeases(row, loaded.rows, trx)
  await row.save()
  const after = auditData(row)
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    await audit(
      {
        actor,
        accountId: row.accountId,
        action: 'instance.update',
        subject: { type: 'server_instance', id: row.id, label: row.name },
        before,
        after,
        ip,
      },
      trx
    )
  }
  return row
}

function mergeFields(
  row: ServerInstance,
  { container, rows }: LoadedInstance,
  fields: InstanceUpdate
): ServerInstance {
  row.ip = fields.ip
  if (fields.username !== undefined) row.username = fields.username
  if (fields.system_id && fields.system_id !== row.systemId) {
    row.systemId = fields.system_id
    row.privateIp = container?.devices.eth0?.['ipv4.address'] ?? row.privateIp
  }
  if (rows) row.ports = Object.fromEntries(rows.map(({ name, port }) => [name, port]))
  return row
}

function auditData({ ip, username, systemId, ports }: ServerInstance): Record<string, unknown> {
  return { ip, username, system_id: systemId, ports }
}

async function saveLeases(
  { id, accountId, hostInstanceId }: ServerInstance,
  rows: ForwardedPort[],
  trx: TransactionClientContract
): Promise<void> {
  await trx
    .from('port_leases')
    .where('server_instance_id', id)
    .whereNot('name', 'like', `${EDGE_PORT_NAME_PREFIX}%`)
    .delete()
  for (const { name, port, inner } of rows) {
    await trx.insertQuery().table('port_leases').insert({
      host_instance_id: hostInstanceId,
      port,
      server_instance_id: id,
      account_id: accountId,
      name,
      inner_port: inner,
    })
  }
}

/**
 * Moves the forwarded ports to the container that the changed row names.
 * @returns a function that moves the ports back
 */
async function followContainer(
  { instance, incus, container }: LoadedInstance,
  row: ServerInstance
): Promise<UndoFunction> {
  const ports = parsePorts(row.ports)
  const moved = row.systemId !== instance.systemId
  if (!container || (!moved && arePortsForwarded(container.devices, ports, row)))
    return async () => {}
  await closeInstanceConnections(instance)
  const leave =
    moved && instance.systemId
      ? await nullIfNotFound(
          updateContainer(incus, instance.systemId, ({ config, devices }) => ({
            config: { ...config, ...CLEARED_LABELS },
            devices: withoutPortDevices(devices),
          }))
        )
      : null
  const labels = moved ? await instanceLabels(row.id) : {}
  try {
    const back = await forwardRecordedPorts(incus, container.name, row, labels)
    return async () => {
      await back()
      await leave?.()
    }
  } catch (error) {
    await leave?.()
    throw error
  }
}

const portTaken = () =>
  invalid({ ports: 'One of these ports is already forwarded to another server instance.' })
const systemIdTaken = () =>
  invalid({ system_id: 'Another server instance has this name in Incus.' })

const uniqueKeys = {
  port_leases_pkey: portTaken,
  port_leases_server_instance_id_name_unique: portTaken,
  server_instances_system_id_unique: systemIdTaken,
  server_instances_private_ip: systemIdTaken,
}

function toUpdateError(error: unknown, host: string): unknown {
  if (isIncusError(error, 'unreachable', 'timed_out')) return hostUnreachable(host, error)
  if (isIncusError(error)) {
    return invalid({
      ports: `The host cannot listen on this port: ${error.message}. Nothing was changed.`,
    })
  }
  return error
}
