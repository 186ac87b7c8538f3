import { deviceOf, EDGE_PORT, forwardDevices } from '#compute/actions/ports'
import { forget, incusOf } from '#compute/connections'
import { isMarked, marksOf, recordedIn } from '#compute/installation'
import { alone } from '#compute/lock'
import HostInstance from '#compute/models/host_instance'
import ServerInstance from '#compute/models/server_instance'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { conflict, invalid } from '#core/refusal'
import { type Incus, isIncusError } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'

/** The ports inside that names stand for; any other name is the number itself. */
const WELL_KNOWN: Record<string, number> = { ssh: 22, http: 80, https: 443 }

export interface InstanceFields {
  ip: string
  username?: string | null
  system_id?: string
  ports?: Record<string, number>
}

/**
 * What an administrator edits by hand (administrator specification, section 7): checked against the
 * host, then written, so that the record never says what is not so.
 */
export async function updateInstance(
  actor: Actor,
  instanceId: number,
  fields: InstanceFields,
  ip?: string
): Promise<void> {
  await alone(instanceId, async () => {
    const instance = await ServerInstance.findOrFail(instanceId)
    if (!['active', 'stopped', 'suspended'].includes(instance.status)) {
      throw conflict('It can be changed once it has been created.')
    }
    const host = await HostInstance.findOrFail(instance.hostInstanceId)
    const incus = incusOf(host)
    await forget(instance)
    const before = facts(instance)
    if (fields.system_id && fields.system_id !== instance.systemId) {
      await assertFree(instance, fields.system_id, incus)
      instance.systemId = fields.system_id
    }
    if (fields.ports) await changePorts(instance, host, incus, fields.ports)
    instance.ip = fields.ip
    if (fields.username !== undefined) instance.username = fields.username
    await instance.save()
    await audit({
      actor,
      customerId: instance.customerId,
      action: 'instance.update',
      subject: { type: 'server_instance', id: instance.id, label: instance.name },
      before,
      after: facts(instance),
      ip,
    })
  })
}

function facts({ ip, username, systemId, ports }: ServerInstance): Record<string, unknown> {
  return { ip, username, system_id: systemId, ports }
}

/** Another container can be taken over only when nobody has it; it is marked as this instance's. */
async function assertFree(instance: ServerInstance, name: string, incus: Incus): Promise<void> {
  const taken = await ServerInstance.query().where('systemId', name).first()
  if (taken) throw invalid({ system_id: 'Another server instance has this name in Incus.' })
  const found = await incus.instances.get(name).catch((error: unknown) => {
    if (isIncusError(error, 'not_found')) return null
    throw error
  })
  if (!found) throw invalid({ system_id: 'Its host has nothing of this name.' })
  const recorded = await recordedIn(found)
  if (isMarked(found) && recorded !== instance.id) {
    throw invalid({ system_id: 'This belongs to another server instance.' })
  }
  await incus.instances.patch(name, { config: await marksOf(instance.id) })
}

async function changePorts(
  instance: ServerInstance,
  host: HostInstance,
  incus: Incus,
  wanted: Record<string, number>
): Promise<void> {
  const rows = Object.entries(wanted).map(([name, port]) => ({
    name,
    port,
    inner: innerPortOf(name),
  }))
  await keepLeases(instance, rows)
  const { devices } = await incus.instances.get(instance.systemId!)
  for (const { name, port, inner } of rows) {
    const device = deviceOf(name)
    if (devices[device]?.listen?.endsWith(`:${port}`)) continue
    await listenOn(
      incus,
      instance,
      device,
      forwardDevices(host.ip, port, instance.privateIp!, inner)
    )
  }
  const names = new Set(rows.map(({ name }) => deviceOf(name)))
  const gone = Object.keys(devices).filter(
    (name) => name.startsWith('port-') && !name.startsWith(deviceOf(EDGE_PORT)) && !names.has(name)
  )
  if (gone.length) await removeDevices(incus, instance.systemId!, gone)
  instance.ports = wanted
}

async function listenOn(
  incus: Incus,
  instance: ServerInstance,
  device: string,
  ways: ReturnType<typeof forwardDevices>
): Promise<void> {
  let last: unknown
  for (const way of ways) {
    try {
      return await incus.instances.patch(instance.systemId!, { devices: { [device]: way } })
    } catch (error) {
      if (!isIncusError(error)) throw error
      last = error
    }
  }
  throw invalid({ ports: `The host cannot listen there: ${(last as Error).message}` })
}

/** Takes devices away from an instance. */
export async function removeDevices(incus: Incus, name: string, gone: string[]): Promise<void> {
  const { instance, etag } = await incus.instances.getWithEtag(name)
  const devices = Object.fromEntries(
    Object.entries(instance.devices).filter(([key]) => !gone.includes(key))
  )
  const { description, profiles, config, architecture, ephemeral } = instance
  const change = { description, profiles, config, devices, architecture, ephemeral }
  await (await incus.instances.replace(name, change, etag)).wait(60)
}

function innerPortOf(name: string): number {
  const port = WELL_KNOWN[name] ?? (/^[1-9]\d{0,4}$/.test(name) ? Number(name) : 0)
  if (port < 1 || port > 65_535) {
    throw invalid({ ports: `"${name}" is neither ssh, http, https nor a port number.` })
  }
  return port
}

async function keepLeases(
  instance: ServerInstance,
  rows: { name: string; port: number; inner: number }[]
): Promise<void> {
  try {
    await db.transaction(async (trx) => {
      await trx
        .from('port_leases')
        .where('server_instance_id', instance.id)
        .whereNot('name', 'like', `${EDGE_PORT}%`)
        .delete()
      for (const { name, port, inner } of rows) {
        await trx.insertQuery().table('port_leases').insert({
          host_instance_id: instance.hostInstanceId,
          port,
          server_instance_id: instance.id,
          name,
          inner_port: inner,
        })
      }
    })
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error
    throw invalid({ ports: 'One of these ports leads to another server instance.' })
  }
}
