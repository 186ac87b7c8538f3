import { promisedDisk } from '#catalog/public'
import { audit } from '#core/audit/audit'
import { operationsOf, startOperation } from '#core/operations/operations'
import { defineSchedule } from '#core/schedules/schedules'
import { type Finding, HostInstance, incusOf, isMarked, noteFindings } from '#hosts/public'
import { isBusy } from '#instances/actions/start_work'
import { keepApart } from '#instances/containers/apart'
import { applyLimits } from '#instances/containers/limits'
import { recordedIn } from '#instances/containers/marks'
import { alone } from '#instances/lock'
import ServerInstance from '#instances/models/server_instance'
import { deletion } from '#instances/operations/deletion'
import { provision } from '#instances/operations/provision'
import { subjectOf } from '#instances/queries/instances'
import {
  type Incus,
  type Instance,
  powerOff,
  removeContainer,
  unlessMissing,
} from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

/** Compares every active host with the database; a host that is away is left for the next time. */
export async function reconcile(): Promise<void> {
  const hosts = await HostInstance.query().where('status', 'active')
  for (const host of hosts) {
    try {
      await reconcileHost(host)
    } catch (error) {
      logger.warn({ err: error, host: host.name }, 'host could not be compared')
    }
  }
}

/**
 * Adopts what is known and reports what is not. Only containers are deleted whose deletion is on
 * record here; everything else stays as it is.
 */
export async function reconcileHost(host: HostInstance): Promise<void> {
  const incus = incusOf(host)
  // Containers first: what is ordered meanwhile has its record before its container.
  const containers = await incus.instances.list()
  const rows = await ServerInstance.query().where('hostInstanceId', host.id)
  const findings: Finding[] = []
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const container of containers) {
    const id = await recordedIn(container)
    if (id === null) {
      if (!isMarked(container)) findings.push(unrecorded(container))
      continue
    }
    const row = byId.get(id)
    if (row) await settle(row, container, incus)
    else findings.push(unknownRecord(container, id))
  }
  const names = new Set(containers.map(({ name }) => name))
  for (const row of rows) {
    if (row.deletionAskedAt && row.status === 'failed') await deleteAgain(row)
    const expected = ['active', 'stopped', 'suspended'].includes(row.status) && row.systemId
    if (!expected || names.has(row.systemId!) || (await isBusy(row))) continue
    if (!(await unlessMissing(incus.instances.get(row.systemId!)))) findings.push(missing(row))
  }
  await noteFindings(host.id, findings)
}

/** Brings a row and its container together. */
async function settle(row: ServerInstance, container: Instance, incus: Incus): Promise<void> {
  if (await isBusy(row)) return
  const running = container.status === 'Running'
  if (row.status === 'deleted') {
    await alone(row.id, () => removeContainer(incus, container.name))
    await write(row, 'instance.leftover_removed')
  } else if (row.status === 'failed' && !row.deletionAskedAt) {
    await adopt(row)
  } else if (row.status === 'active' && !running) {
    await follow(row, incus, 'active', 'stopped')
  } else if (row.status === 'stopped' && running) {
    await follow(row, incus, 'stopped', 'active')
  } else {
    await keepPromises(row, container, incus)
  }
}

/**
 * A suspended one does not run; limits are what was promised unless Build Mode is on. Instances that
 * were made before a limit existed get it here.
 */
async function keepPromises(
  { id }: ServerInstance,
  { name, status: power, config, devices }: Instance,
  incus: Incus
): Promise<void> {
  await alone(id, async () => {
    const row = await ServerInstance.findOrFail(id)
    if (row.deletionAskedAt || (await isBusy(row))) return
    if (row.status === 'suspended' && power !== 'Stopped') await powerOff(incus, name)
    const { limits, boostedUntil, status } = row
    if ((status === 'active' || status === 'stopped') && !boostedUntil && limits.vcpu > 0) {
      const lent = Number(devices.root?.size) > row.diskBytes
      const fits = row.diskUsed !== null && row.diskUsed < promisedDisk(row.diskBytes)
      await applyLimits(incus, name, lent && fits ? { ...limits, disk: row.diskBytes } : limits)
      await keepApart(incus, name, config)
    }
  })
}

/** Somebody switched it on or off from inside or by Incus's own tools. */
async function follow(
  { id }: ServerInstance,
  incus: Incus,
  from: 'active' | 'stopped',
  to: 'active' | 'stopped'
): Promise<void> {
  await alone(id, async () => {
    const row = await ServerInstance.findOrFail(id)
    if (row.status !== from || (await isBusy(row))) return
    const found = await unlessMissing(incus.instances.get(row.systemId!))
    if (!found || (found.status === 'Running') !== (to === 'active')) return
    row.status = to
    await row.save()
    await write(row, `instance.found_${to}`)
  })
}

/** Making it failed when the host was too slow, and now it is there after all: go on with it. */
async function adopt({ id }: ServerInstance): Promise<void> {
  const [last] = await operationsOf('server_instance', id)
  const failedAt = last?.steps.find(({ status }) => status === 'failed')?.key
  if (last?.kind !== provision.kind || failedAt !== 'create') return
  await db.transaction(async (trx) => {
    const row = await ServerInstance.query({ client: trx })
      .where('id', id)
      .forUpdate()
      .firstOrFail()
    if (row.status !== 'failed' || row.deletionAskedAt) return
    row.merge({ status: 'pending', statusReason: null })
    await row.save()
    await startOperation(
      provision,
      { instanceId: id },
      { title: `Creating ${row.name}`, ownerId: row.customerId, subject: subjectOf(row), trx }
    )
  })
  await write(await ServerInstance.findOrFail(id), 'instance.adopted')
}

/** Its host was away when it was to be deleted. */
async function deleteAgain(row: ServerInstance): Promise<void> {
  if (await isBusy(row)) return
  await startOperation(
    deletion,
    { instanceId: row.id },
    { title: `Deleting ${row.name}`, ownerId: row.customerId, subject: subjectOf(row) }
  )
}

function unrecorded({ name }: Instance): Finding {
  const words = `${name} runs on this host without belonging to Berth. It uses memory and disk that Berth may promise to others.`
  return { systemId: name, kind: 'unrecorded', words, instanceId: null }
}

function unknownRecord({ name }: Instance, id: number): Finding {
  const words = `${name} says that it is server instance ${id}, of which nothing is known on this host.`
  return { systemId: name, kind: 'unknown_record', words, instanceId: null }
}

function missing({ systemId, name, id }: ServerInstance): Finding {
  const words = `Server instance ${name} (${systemId}) is no longer on this host.`
  return { systemId: systemId!, kind: 'missing', words, instanceId: id }
}

async function write(row: ServerInstance, action: string): Promise<void> {
  await audit({
    actor: null,
    customerId: row.customerId,
    action,
    subject: { type: 'server_instance', id: row.id, label: row.name },
  })
}

defineSchedule({
  name: 'instances.reconcile',
  label: 'Compares hosts with what is on record',
  every: 60,
  run: reconcile,
})
