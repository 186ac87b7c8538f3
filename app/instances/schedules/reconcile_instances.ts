import { loadCustomersById } from '#accounts/public'
import { audit } from '#core/audit/audit'
import { sendMail } from '#core/mail/send_mail'
import { listOperationsOfSubject, startOperation } from '#core/operations/operations'
import { defineSchedule } from '#core/schedules/schedules'
import {
  type HostDiscrepancy,
  type HostInstance,
  listLocalHosts,
  saveHostDiscrepancies,
} from '#hosts/public'
import { incusClientFor, isCreatedByBerth } from '#hosts/public_effects'
import {
  listBusyInstanceIds,
  hasUnfinishedOperation,
} from '#instances/actions/start_instance_operation'
import {
  ensureIsolation,
  MEMORY_FULL_CONFIG_KEY,
  needsRestart,
  readRejectedConnections,
  parseSubvolumeUse,
} from '#instances/containers/isolation'
import {
  findContainerDifference,
  diskQuotaToRestore,
} from '#instances/containers/find_container_difference'
import { applyLimits } from '#instances/containers/limits'
import { instanceIdOfContainer, isContainerOf } from '#instances/containers/labels'
import { stopContainer } from '#instances/containers/power'
import {
  listPendingRestoreParts,
  needsRecordedSettingsReapplied,
  reapplyRecordedSettingsIfNeeded,
  type UnappliedPart,
} from '#instances/containers/reapply_recorded_settings'
import { withInstanceLock } from '#instances/instance_lock'
import { memoryFullMail } from '#instances/mails'
import ServerInstance from '#instances/models/server_instance'
import { instanceDeleteOperation } from '#instances/operations/deletion'
import { instanceProvisionOperation } from '#instances/operations/provision'
import { instanceOperationSubject } from '#instances/queries/instances'
import {
  type Incus,
  type Instance,
  isIncusError,
  removeContainer,
  nullIfNotFound,
} from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

const MAX_CONCURRENT_HOSTS = 8

/** Compares the containers of this console's active hosts with the database. Retries a failed host at the next run. */
export async function reconcileAllHosts(): Promise<void> {
  const hosts = await listLocalHosts().where('status', 'active')
  const waiting = hosts.values()
  const compareNext = async () => {
    for (const host of waiting) {
      try {
        await reconcileHost(host)
      } catch (error) {
        logger.warn({ err: error, host: host.name }, 'host could not be compared')
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_HOSTS }, compareNext))
}

/**
 * Corrects known containers that differ, after a second check under their lock, and reports unknown ones. Deletes only
 * containers whose deletion is recorded.
 */
export async function reconcileHost(host: HostInstance): Promise<void> {
  const incus = incusClientFor(host)
  // Reads containers before rows, because an order creates its row before its container.
  const containers = await incus.instances.list()
  const recorded = await Promise.all(containers.map(instanceIdOfContainer))
  const rows = await recordsOn(
    host,
    recorded.filter((id) => id !== null)
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const busy = await listBusyInstanceIds(
    rows.filter(({ status }) => status !== 'deleted').map(({ id }) => id)
  )
  const findings: HostDiscrepancy[] = clusterOf(containers)
  for (const [index, container] of containers.entries()) {
    const id = recorded[index]
    const row = id === null ? undefined : byId.get(id)
    if (id === null) {
      if (!isCreatedByBerth(container)) findings.push(unrecordedFinding(container))
    } else if (!row) {
      findings.push(unknownRecordFinding(container, id))
    } else if (!(await isContainerOf(row, container))) {
      findings.push(copyFinding(row, container))
    } else {
      findings.push(...limitFindings(row, container))
      findings.push(...(await correctInstance(row, container, incus, busy.has(id))))
    }
  }
  const names = new Set(containers.map(({ name }) => name))
  for (const row of rows) {
    if (busy.has(row.id)) continue
    if (row.deletionAskedAt && row.status === 'failed') await deleteAgain(row)
    const expected = ['active', 'stopped', 'suspended'].includes(row.status) && row.systemId
    if (!expected || names.has(row.systemId!) || (await hasUnfinishedOperation(row))) continue
    if (!(await nullIfNotFound(incus.instances.get(row.systemId!))))
      findings.push(missingFinding(row))
  }
  await saveHostDiscrepancies(host.id, findings)
}

/** Returns the recorded instances of the host, including deleted ones whose containers still exist. */
function recordsOn(host: HostInstance, listed: number[]): Promise<ServerInstance[]> {
  const onHost = { hostInstanceId: host.id }
  return ServerInstance.live()
    .where(onHost)
    .orWhere((query) => query.where(onHost).whereIn('id', listed))
    .select(...RECONCILED_COLUMNS)
}

/** Columns that the comparison needs. The SSH keys are omitted, because they would have to be decrypted. */
const RECONCILED_COLUMNS = [
  'id',
  'name',
  'accountId',
  'systemId',
  'status',
  'deletionAskedAt',
  'boostedUntil',
  'vcpu',
  'memoryBytes',
  'processes',
  'diskBytes',
  'imageBytes',
  'diskUsed',
] as const

async function correctInstance(
  row: ServerInstance,
  container: Instance,
  incus: Incus,
  isBusy: boolean
): Promise<HostDiscrepancy[]> {
  const differs = mayLackRecords(row, container) || findContainerDifference(row, container)
  try {
    const unapplied =
      differs && !isBusy ? await reconcileInstance(row.id, container.name, incus) : []
    if (container.config[MEMORY_FULL_CONFIG_KEY]) await noteMemoryFull(row, container, incus)
    const parts = unapplied.map(({ part, reason }) => `${part} (${reason})`)
    return unappliedFindings(row, container, isBusy ? listPendingRestoreParts(container) : parts)
  } catch (error) {
    // A failed correction of one instance must not block the other instances. An unreachable host ends the run.
    if (isIncusError(error, 'unreachable')) throw error
    logger.warn({ err: error, name: container.name }, 'an instance could not be corrected')
    return [uncorrectedFinding(row, container, error)]
  }
}

/**
 * Reads row and container again under the lock, and corrects the difference.
 * @returns the parts of the recorded settings that a restored container still lacks
 */
export async function reconcileInstance(
  id: number,
  name: string,
  incus: Incus
): Promise<UnappliedPart[]> {
  return withInstanceLock(id, async () => {
    const row = await ServerInstance.findOrFail(id)
    const container = await nullIfNotFound(incus.instances.get(name))
    if (!container || !(await isContainerOf(row, container)) || (await hasUnfinishedOperation(row)))
      return []
    const unapplied = mayLackRecords(row, container)
      ? await reapplyRecordedSettingsIfNeeded(row, container, incus)
      : []
    await correctDifference(row, container, incus)
    return unapplied
  })
}

async function correctDifference(
  row: ServerInstance,
  container: Instance,
  incus: Incus
): Promise<void> {
  switch (findContainerDifference(row, container)) {
    case 'leftover':
      await removeContainer(incus, container.name)
      return auditCorrection(row, 'instance.leftover_removed')
    case 'late':
      return saveAdoptedStatus(row)
    case 'started':
      return saveContainerStatus(row, 'active')
    case 'stopped':
      return saveContainerStatus(row, 'stopped')
    case 'runs':
      return stopContainer(incus, container.name)
    case 'limits':
      return keepAllocation(row, container, incus)
  }
}

function mayLackRecords(
  { status, deletionAskedAt }: Pick<ServerInstance, 'status' | 'deletionAskedAt'>,
  container: Instance
): boolean {
  const isInUse = status === 'active' || status === 'stopped' || status === 'suspended'
  return isInUse && !deletionAskedAt && needsRecordedSettingsReapplied(container)
}

/**
 * Sets limits and isolation that older instances lack, and shrinks a temporarily enlarged disk to
 * its quota.
 */
async function keepAllocation(
  row: ServerInstance,
  { name, config, devices }: Instance,
  incus: Incus
): Promise<void> {
  const disk = diskQuotaToRestore(row, devices)
  await applyLimits(incus, name, disk === null ? row.limits : { ...row.limits, disk })
  await ensureIsolation(incus, name, config, row.status === 'stopped')
}

/** Saves a status that was changed inside the instance or with Incus's own tools. */
async function saveContainerStatus(
  row: ServerInstance,
  status: 'active' | 'stopped'
): Promise<void> {
  row.status = status
  await row.save()
  await auditCorrection(row, `instance.found_${status}`)
}

/**
 * Resumes provisioning of an instance whose container appeared after its creation had timed out.
 */
async function saveAdoptedStatus({ id }: ServerInstance): Promise<void> {
  const [last] = await listOperationsOfSubject('server_instance', id)
  const failedAt = last?.steps.find(({ status }) => status === 'failed')?.key
  if (last?.kind !== instanceProvisionOperation.kind || failedAt !== 'create') return
  await db.transaction(async (trx) => {
    const row = await ServerInstance.query({ client: trx })
      .where('id', id)
      .forUpdate()
      .firstOrFail()
    if (row.status !== 'failed' || row.deletionAskedAt) return
    row.merge({ status: 'pending', statusReason: null })
    await row.save()
    await startOperation(
      instanceProvisionOperation,
      { instanceId: id },
      {
        title: `Creating ${row.name}`,
        accountId: row.accountId,
        subject: instanceOperationSubject(row),
        trx,
      }
    )
  })
  await auditCorrection(await ServerInstance.findOrFail(id), 'instance.adopted')
}

/** Starts the deletion again after it failed, usually because the host was unreachable. */
async function deleteAgain(row: ServerInstance): Promise<void> {
  if (await hasUnfinishedOperation(row)) return
  await startOperation(
    instanceDeleteOperation,
    { instanceId: row.id },
    {
      title: `Deleting ${row.name}`,
      accountId: row.accountId,
      subject: instanceOperationSubject(row),
    }
  )
}

/**
 * Reports a host that joined an Incus cluster after it was added to Berth. Existing instances stay in use; because of
 * `checkHost`, the host gets no new ones.
 */
function clusterOf(containers: Instance[]): HostDiscrepancy[] {
  const members = new Set(containers.map(({ location }) => location))
  members.delete('none')
  if (members.size === 0) return []
  const message = `This Incus is in a cluster (${[...members].join(', ')}). Berth uses only one member, so instances that Incus creates on other members fail. The host gets no new instances until it leaves the cluster.`
  return [{ systemId: 'cluster', kind: 'cluster', words: message, instanceId: null }]
}

function unrecordedFinding({ name }: Instance): HostDiscrepancy {
  const message = `The instance ${name} on this host does not belong to Berth. It uses memory and disk that Berth may allocate to other instances.`
  return { systemId: name, kind: 'unrecorded', words: message, instanceId: null }
}

function unknownRecordFinding({ name }: Instance, id: number): HostDiscrepancy {
  const message = `The container ${name} says that it is server instance ${id}, but Berth has no such instance on this host.`
  return { systemId: name, kind: 'unknown_record', words: message, instanceId: null }
}

function copyFinding(
  { id, name, systemId, status }: ServerInstance,
  copy: Instance
): HostDiscrepancy {
  const original = `${status === 'deleted' ? 'deleted ' : ''}server instance ${name}${systemId ? ` (${systemId})` : ''}`
  const message = `The container ${copy.name} (${copy.status}) has the labels of the ${original}, so it is a copy of that instance, or somebody renamed it. Berth ignores this container. It uses memory and disk that Berth may allocate to others. Delete the container or, if somebody renamed it, restore its name. To keep it, run: incus config unset ${copy.name} user.berth.instance`
  return { systemId: copy.name, kind: 'copy', words: message, instanceId: id }
}

function uncorrectedFinding(
  { id, name }: ServerInstance,
  container: Instance,
  error: unknown
): HostDiscrepancy {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `Server instance ${name} (${container.name}) differs from its record, and Berth could not correct it: ${reason}. Berth tries again every minute.`
  return { systemId: container.name, kind: 'not_corrected', words: message, instanceId: id }
}

function unappliedFindings(
  { id, name }: ServerInstance,
  container: Instance,
  parts: string[]
): HostDiscrepancy[] {
  if (parts.length === 0) return []
  const message = `Server instance ${name} (${container.name}) differs from its records, and Berth could not apply these parts: ${parts.join(', ')}. Berth tries again every minute. If another program uses a port, stop that program or change the ports of the instance.`
  return [{ systemId: container.name, kind: 'not_applied', words: message, instanceId: id }]
}

function missingFinding({ systemId, name, id }: ServerInstance): HostDiscrepancy {
  const message = `Server instance ${name} (${systemId}) is no longer on this host.`
  return { systemId: systemId!, kind: 'missing', words: message, instanceId: id }
}

/** Minimum hours between two mails about one instance. */
const MEMORY_MAIL_HOURS = 24

async function noteMemoryFull(
  row: ServerInstance,
  { name, status, config }: Instance,
  incus: Incus
): Promise<void> {
  const at = DateTime.fromISO(config[MEMORY_FULL_CONFIG_KEY]!, { zone: 'utc' })
  await incus.instances.patch(name, { config: { [MEMORY_FULL_CONFIG_KEY]: '' } })
  if (!at.isValid || row.status === 'deleted') return
  if (status !== 'Running') {
    const reason =
      'The instance ran out of memory, and the automatic restart failed. Start the instance.'
    await ServerInstance.query()
      .where({ id: row.id, status: 'stopped' })
      .update({ status_reason: reason })
  }
  const findings = await db
    .from('audit_entries')
    .where({ action: 'instance.memory_full', subject_id: String(row.id) })
    .where('created_at', '>', DateTime.utc().minus({ hours: MEMORY_MAIL_HOURS }).toSQL())
    .first()
  await auditCorrection(row, 'instance.memory_full')
  const owner = (await loadCustomersById([row.accountId])).get(row.accountId)
  if (!owner || findings) return
  const time = at.toFormat("yyyy-MM-dd HH:mm 'UTC'")
  await sendMail(memoryFullMail(owner.email, { id: row.id, name: row.name, time }))
}

function limitFindings({ id, name }: ServerInstance, container: Instance): HostDiscrepancy[] {
  const subject = { systemId: container.name, instanceId: id }
  const findings: HostDiscrepancy[] = []
  if (needsRestart(container)) {
    const message = `Server instance ${name} (${container.name}) runs with an outdated system call filter (btrfs subvolumes, kernel keys) until its next restart. Restart it.`
    findings.push({ ...subject, kind: 'needs_restart', words: message })
  }
  const subvolumes = parseSubvolumeUse(container.config)
  if (subvolumes) {
    const size = `${Math.ceil(subvolumes.bytes / 1024 ** 2)} MiB`
    const message = `Server instance ${name} (${container.name}) contains ${subvolumes.count} btrfs subvolume(s) with ${size}. They count towards its disk limit, but not in the disk usage that pages show.`
    findings.push({ ...subject, kind: 'subvolumes', words: message })
  }
  const refused = readRejectedConnections(container.config)
  if (refused) {
    const message = `Server instance ${name} (${container.name}) reached its connection limit within the last hour: the host rejected ${refused} connections from or to the instance.`
    findings.push({ ...subject, kind: 'connections', words: message })
  }
  return findings
}

async function auditCorrection(row: ServerInstance, action: string): Promise<void> {
  await audit({
    actor: null,
    accountId: row.accountId,
    action,
    subject: { type: 'server_instance', id: row.id, label: row.name },
  })
}

export default defineSchedule({
  name: 'instances.reconcile',
  label: 'Compares the instances on hosts with the database',
  every: 60,
  everywhere: true,
  run: reconcileAllHosts,
})
