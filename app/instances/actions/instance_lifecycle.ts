import { lockAccountRow } from '#accounts/public'
import {
  assertPriceUnchanged,
  allocationAfterResize,
  endSubscription,
  lockOffer,
  priceFor,
} from '#catalog/public'
import type { Actor } from '#core/contracts/actor'
import type Operation from '#core/models/operation'
import { conflict, invalid } from '#core/app_error'
import { assertHostCapacity, chooseHost } from '#hosts/public'
import { startInstanceOperation } from '#instances/actions/start_instance_operation'
import { instanceDeleteOperation } from '#instances/operations/deletion'
import {
  instanceRestartOperation,
  instanceRestartWithoutAppsOperation,
  instanceResumeOperation,
  instanceStartOperation,
  instanceStopOperation,
  instanceSuspendOperation,
} from '#instances/operations/power'
import { instanceProvisionOperation } from '#instances/operations/provision'
import { allocationColumns, instanceResizeOperation } from '#instances/operations/resize'
import { instanceOperationSubject } from '#instances/queries/instances'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

export type PowerAction = 'start' | 'stop' | 'restart'

const powerOperations = {
  start: { kind: instanceStartOperation, title: 'Starting' },
  stop: { kind: instanceStopOperation, title: 'Stopping' },
  restart: { kind: instanceRestartOperation, title: 'Restarting' },
}

export function changePower(actor: Actor, id: number, action: PowerAction, ip?: string) {
  const { kind, title } = powerOperations[action]
  return startInstanceOperation(actor, id, {
    action,
    kind,
    title: ({ name }) => `${title} ${name}`,
    begin: () => ({ instanceId: id }),
    audited: `instance.${action}`,
    ip,
  })
}

export function restartWithoutApps(actor: Actor, id: number, ip?: string) {
  return startInstanceOperation(actor, id, {
    action: 'restart',
    kind: instanceRestartWithoutAppsOperation,
    title: ({ name }) => `Restarting ${name} without its apps`,
    begin: () => ({ instanceId: id }),
    audited: 'instance.restart_without_apps',
    ip,
  })
}

/** Other operations on the instance stop when they notice the deletion. */
export function deleteInstance(actor: Actor, id: number, ip?: string): Promise<Operation> {
  return startInstanceOperation(actor, id, {
    action: 'delete',
    kind: instanceDeleteOperation,
    title: ({ name }) => `Deleting ${name}`,
    begin: async (instance, trx) => {
      instance.deletionAskedAt = DateTime.utc()
      // The subscription ends now, because the customer can no longer use the instance.
      await endSubscription(
        instanceOperationSubject(instance),
        'deleted',
        instance.deletionAskedAt,
        trx
      )
      return { instanceId: id }
    },
    audited: 'instance.delete',
    besides: true,
    ip,
  })
}

export function retryProvisioning(actor: Actor, id: number, ip?: string): Promise<Operation> {
  return startInstanceOperation(actor, id, {
    action: 'retry',
    kind: instanceProvisionOperation,
    title: ({ name }) => `Creating ${name}`,
    begin: async (instance, trx) => {
      if (!instance.hostInstanceId) {
        const { vcpu, memoryBytes: memory, diskBytes: disk } = instance
        instance.hostInstanceId = (await chooseHost({ vcpu, memory, disk }, trx)).id
      }
      instance.merge({ status: 'pending', statusReason: null })
      return { instanceId: id }
    },
    audited: 'instance.retry',
    ip,
  })
}

/**
 * @param options.withAccount whether the whole account is being suspended. The instance's current status is then
 * saved, and restored when the account resumes
 */
export function suspendInstance(
  actor: Actor | null,
  id: number,
  reason: string,
  ip?: string,
  { withAccount = false } = {}
): Promise<Operation> {
  return startInstanceOperation(actor, id, {
    action: 'suspend',
    kind: instanceSuspendOperation,
    title: ({ name }) => `Suspending ${name}`,
    begin: (instance) => {
      if (withAccount) instance.heldFrom = instance.status === 'active' ? 'active' : 'stopped'
      instance.merge({ status: 'suspended', statusReason: reason })
      return { instanceId: id }
    },
    audited: 'instance.suspend',
    after: { reason },
    // An account suspension does not wait for other operations on the instance. They keep the status `suspended`. If
    // one of them starts the container, the reconciliation stops it.
    besides: withAccount,
    ip,
  })
}

export function resumeInstance(actor: Actor | null, id: number, ip?: string): Promise<Operation> {
  return startInstanceOperation(actor, id, {
    action: 'resume',
    kind: instanceResumeOperation,
    title: ({ name }) => `Resuming ${name}`,
    begin: async (instance, trx) => {
      const account = await lockAccountRow(instance.accountId, trx)
      if (account.status !== 'active') {
        throw conflict(
          `The account of this instance is ${account.status}. Resume the account first.`
        )
      }
      instance.heldFrom = null
      return { instanceId: id }
    },
    audited: 'instance.resume',
    ip,
  })
}

export interface RequestedPackage {
  serverPackageId: number
  /** The package version that the page showed. Default: the version on sale. */
  seen?: number
}

/**
 * Resizes the instance to a package of the same type, on the same host.
 * @param outer transaction of a larger change
 */
export async function resizeInstance(
  actor: Actor,
  id: number,
  { serverPackageId, seen }: RequestedPackage,
  ip?: string,
  outer?: TransactionClientContract
): Promise<Operation> {
  const after: Record<string, unknown> = {}
  return startInstanceOperation(actor, id, {
    action: 'resize',
    kind: instanceResizeOperation,
    title: ({ name }) => `Resizing ${name}`,
    begin: async (instance, trx) => {
      const wanted = await lockOffer(serverPackageId, trx)
      const fits = wanted?.row.instanceType === instance.instanceType
      if (!fits || wanted.version.id === instance.packageVersionId) {
        throw invalid({ server_package_id: 'This package is not offered. Choose another package.' })
      }
      const { row, version } = wanted
      if (!priceFor(version, instance.billingPeriod)) {
        const message = `This package has no ${instance.billingPeriod}ly price. Choose another package.`
        throw invalid({ server_package_id: message })
      }
      await assertPriceUnchanged(wanted, instance.billingPeriod, seen, trx)
      Object.assign(after, { package: row.name, version: version.number })
      const { vcpu, memoryBytes: memory, diskBytes: disk, imageBytes: image, processes } = instance
      const before = { vcpu, memory, disk, image, processes }
      const allocation = allocationAfterResize(version.specifications, instance)
      await assertHostCapacity(instance.hostInstanceId!, allocation, before, trx)
      // Until the resize ends, the host allocates the larger of the old and the new values.
      instance.merge(
        allocationColumns({
          vcpu: Math.max(vcpu, allocation.vcpu),
          memory: Math.max(memory, allocation.memory),
          disk: Math.max(disk, allocation.disk),
          image,
          processes,
        })
      )
      return {
        instanceId: id,
        serverPackageId,
        packageVersionId: version.id,
        share: allocation,
        before,
      }
    },
    audited: 'instance.resize',
    after,
    ip,
    trx: outer,
  })
}
