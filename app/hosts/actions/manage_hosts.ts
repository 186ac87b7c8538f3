import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { invalid, notFound, AppError } from '#core/app_error'
import { localMachineId } from '#core/local_host'
import { translateUniqueKeys } from '#core/unique_keys'
import { assertNameConfirmed } from '#core/name_confirmation'
import { checkHost } from '#hosts/check_host'
import { openIncusClient } from '#hosts/incus_connections'
import { assertNotClustered, inspectHost } from '#hosts/inspect_host'
import { isLocallyReachable } from '#hosts/local_hosts'
import { assertLimitsApply } from '#hosts/resource_limits'
import HostInstance from '#hosts/models/host_instance'
import { startHostCleanUp } from '#hosts/operations/clean_up_removed_host'
import { startHostPreparation } from '#hosts/operations/prepare_host'
import { assertHostCan } from '#hosts/states/host'
import { certificateFingerprint, Incus, isIncusError } from '#packages/incus/main'
import { connectSsh, MachineError, scanHostKey } from '#packages/machine/main'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

export interface NewHost {
  name: string
  token: string
  address?: string
  ip?: string
  provider?: string
}

/**
 * Adds a host with a token of its Incus (`incus config trust add berth` on that machine). Creates a client
 * certificate. Pins the server certificate by the fingerprint in the token. The host is `pending` until it is
 * prepared.
 * @throws 422 if the token is invalid or expired, or Incus does not limit instances; 503 if the machine cannot be
 * reached
 */
export async function addHost(actor: Actor, wanted: NewHost, ip?: string): Promise<HostInstance> {
  if (await HostInstance.query().where('name', wanted.name).first()) throw hostNameTaken()
  const { url, cert, key, serverCertificate } = await joinIncus(wanted)
  const host = new HostInstance().merge({
    name: wanted.name,
    ip: wanted.ip ?? new URL(url).hostname.replace(/^\[|\]$/g, ''),
    status: 'pending',
    provider: wanted.provider ?? '',
    machineId: localMachineId(),
    isLocal: false,
    incusUrl: url,
    incusCertificate: serverCertificate,
    clientCertificate: cert,
    clientKey: key,
    sshPort: 22,
    seenAt: DateTime.utc(),
  })
  const incus = openIncusClient(host)
  try {
    await assertNotClustered(incus)
    await assertLimitsApply(incus)
    host.merge(await inspectHost(incus))
  } catch (error) {
    // A rejected host must not continue to trust our certificate. If its removal also fails, the user still reads
    // why the host was rejected.
    await incus.certificates.delete(certificateFingerprint(cert)).catch(() => {})
    throw error
  } finally {
    await incus.close()
  }
  await translateUniqueKeys(hostUniqueKeys, () =>
    db.transaction(async (trx) => {
      host.useTransaction(trx)
      await host.save()
      await auditHostChange(
        actor,
        'host.add',
        host,
        ip,
        { after: { ip: host.ip, incus: url } },
        trx
      )
      await startHostPreparation(host, trx)
    })
  )
  return host
}

async function joinIncus({ name, token, address }: NewHost) {
  try {
    return await Incus.joinWithToken(token, `berth-${name}`, { address })
  } catch (error) {
    if (!isIncusError(error)) throw error
    if (error.kind === 'unreachable' || error.kind === 'timed_out') {
      const message = `Incus on the machine that you add cannot be reached: ${error.message}`
      throw new AppError('host_away', 503, message, { cause: error })
    }
    throw invalid({ token: `Incus did not accept the token: ${error.message}` })
  }
}

export function updateHost(
  actor: Actor,
  id: number,
  fields: { name: string; ip: string; provider?: string | null; disk_overcommit?: number },
  ip?: string
): Promise<HostInstance> {
  return translateUniqueKeys(hostUniqueKeys, () =>
    withLockedHost(id, async (host, trx) => {
      const audited = () => ({
        name: host.name,
        ip: host.ip,
        provider: host.provider,
        diskOvercommit: host.diskOvercommit,
      })
      const before = audited()
      host.merge({ name: fields.name, ip: fields.ip, provider: fields.provider ?? '' })
      host.diskOvercommit = fields.disk_overcommit ?? host.diskOvercommit
      await host.save()
      const after = audited()
      await auditHostChange(actor, 'host.update', host, ip, { before, after }, trx)
      return host
    })
  )
}

/**
 * Starts or ends the maintenance of a host. Meanwhile it gets no new instances, but its present instances keep
 * running.
 */
export function setHostMaintenance(
  actor: Actor,
  id: number,
  on: boolean,
  ip?: string
): Promise<HostInstance> {
  return withLockedHost(id, async (host, trx) => {
    assertHostCan(on ? 'maintenanceOn' : 'maintenanceOff', host, 0)
    const before = { status: host.status }
    host.merge({ status: on ? 'maintenance' : 'active', statusReason: null })
    await host.save()
    await auditHostChange(actor, 'host.maintenance', host, ip, { before, after: { on } }, trx)
    return host
  })
}

/** Checks a host immediately. Otherwise the schedule checks it within 30 seconds. */
export async function checkHostNow(host: HostInstance): Promise<HostInstance> {
  await checkHost(host)
  return HostInstance.findOrFail(host.id)
}

/**
 * Removes a host that has no instances. After the commit, an operation deletes Berth's certificate and containers
 * from the host's Incus, unless the host is offline and this machine cannot reach it.
 */
export function removeHost(
  actor: Actor,
  id: number,
  typedName: unknown,
  ip?: string
): Promise<HostInstance> {
  return withLockedHost(id, async (host, trx) => {
    assertNameConfirmed(host, typedName)
    assertHostCan('delete', host, host.allocatedInstances)
    // Only another control machine could clean up such a host. If that machine no longer exists, the operation
    // would wait forever.
    const unreachable =
      host.status === 'offline' && !host.respondsThoughOffline && !isLocallyReachable(host)
    if (unreachable) host.clientKey = null
    else await startHostCleanUp(host, trx)
    // Renames the record, so that another machine can get the name.
    host.merge({
      name: `${host.name} (deleted ${host.id})`,
      status: 'deleted',
      statusReason: null,
      sshKey: null,
    })
    await host.save()
    await auditHostChange(actor, 'host.delete', host, ip, {}, trx)
    return host
  })
}

export interface HostSshSettings {
  username: string
  port: number
  key: string
  host_key?: string
}

export async function saveHostSshSettings(
  actor: Actor,
  host: HostInstance,
  { username, port, key, host_key: expectedKey }: HostSshSettings,
  ip?: string
): Promise<void> {
  try {
    const shown = expectedKey ? null : await scanHostKey({ host: host.ip, port })
    const hostKey = expectedKey ?? `${shown!.type} ${shown!.key}`
    const privateKey = `${key}\n`
    const machine = await connectSsh({ host: host.ip, port, username, privateKey, hostKey })
    await machine.close()
    host.merge({ username, sshPort: port, sshKey: privateKey, hostKey })
  } catch (error) {
    if (!(error instanceof MachineError)) throw error
    throw invalid({ key: `Signing in over SSH failed: ${error.message}` })
  }
  await db.transaction(async (trx) => {
    await host.useTransaction(trx).save()
    await auditHostChange(actor, 'host.ssh', host, ip, { after: { username, port } }, trx)
  })
}

function hostNameTaken(): AppError {
  return invalid({ name: 'A host with this name already exists.' })
}

const hostUniqueKeys = { host_instances_name_unique: hostNameTaken }

function withLockedHost<T>(
  id: number,
  work: (host: HostInstance, trx: TransactionClientContract) => Promise<T>
): Promise<T> {
  return db.transaction(async (trx) => {
    const host = await HostInstance.live({ client: trx }).where('id', id).forUpdate().first()
    if (!host) throw notFound('host instance')
    return work(host, trx)
  })
}

async function auditHostChange(
  actor: Actor,
  action: string,
  host: HostInstance,
  ip: string | undefined,
  change: { before?: Record<string, unknown>; after?: Record<string, unknown> },
  trx?: TransactionClientContract
): Promise<void> {
  const subject = { type: 'host_instance' as const, id: host.id, label: host.name }
  await audit({ actor, action, subject, ip, ...change }, trx)
}
