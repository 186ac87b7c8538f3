import {
  assertPriceUnchanged,
  allocationFromSpecifications,
  type BillingPeriod,
  lockOffer,
  type InstanceType,
  startSubscription,
} from '#catalog/public'
import { audit } from '#core/audit/audit'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { invalid } from '#core/app_error'
import { translateUniqueKeys } from '#core/unique_keys'
import { chooseHost } from '#hosts/public'
import { lockAccountRow } from '#accounts/public'
import { tooManyInstances } from '#instances/errors'
import { MAX_INSTANCES_PER_ACCOUNT } from '#instances/runtime_limits'
import ServerInstance from '#instances/models/server_instance'
import { provisionInstanceOutline } from '#instances/operations/provision_outline'
import { instanceOperationSubject } from '#instances/queries/instances'
import { countInstancesOfAccount } from '#instances/queries/order_options'
import db from '@adonisjs/lucid/services/db'

export interface InstanceOrder {
  name: string
  instanceType: InstanceType
  serverPackageId: number
  billingPeriod: BillingPeriod
  /** The package version whose price the page showed. Default: the version on sale. */
  packageVersion?: number
  ip?: string
}

/**
 * Orders an instance in one transaction.
 * @throws AppError for a taken name, an unknown package, a changed price, too many instances, or no room
 */
export async function orderInstance(
  actor: Actor,
  { name, instanceType, serverPackageId, billingPeriod, packageVersion, ip }: InstanceOrder
): Promise<{ instance: ServerInstance; operation: Operation }> {
  const accountId = accountIdOf(actor)
  return translateUniqueKeys({ server_instances_name: () => instanceNameTaken(name) }, () =>
    db.transaction(async (trx) => {
      // Serializes orders of one account, so that the count of its instances is exact.
      await lockAccountRow(accountId, trx)
      const offer = await lockOffer(serverPackageId, trx)
      if (offer?.row.instanceType !== instanceType) {
        throw invalid({ server_package_id: 'This package is not offered. Choose another.' })
      }
      const { version } = offer
      const price = await assertPriceUnchanged(offer, billingPeriod, packageVersion, trx)
      if ((await countInstancesOfAccount(accountId, trx)) >= MAX_INSTANCES_PER_ACCOUNT)
        throw tooManyInstances()
      const taken = await ServerInstance.live({ client: trx }).where({ accountId, name }).first()
      if (taken) throw instanceNameTaken(name)
      const allocation = allocationFromSpecifications(version.specifications)
      const host = await chooseHost(allocation, trx)
      const instance = await ServerInstance.create(
        {
          accountId,
          hostInstanceId: host.id,
          serverPackageId,
          packageVersionId: version.id,
          name,
          instanceType,
          status: 'pending',
          billingPeriod,
          ports: {},
          vcpu: allocation.vcpu,
          memoryBytes: allocation.memory,
          diskBytes: allocation.disk,
          imageBytes: allocation.image,
          processes: allocation.processes ?? null,
          boostMode: true,
        },
        { client: trx }
      )
      await startSubscription(
        { accountId, subject: instanceOperationSubject(instance), version, period: billingPeriod },
        price,
        instance.createdAt,
        trx
      )
      await audit(
        {
          actor,
          accountId,
          action: 'instance.order',
          subject: { type: 'server_instance', id: instance.id, label: name },
          after: { package: offer.row.name, version: version.number, instanceType, billingPeriod },
          ip,
        },
        trx
      )
      const operation = await startOperation(
        provisionInstanceOutline,
        { instanceId: instance.id },
        { title: `Creating ${name}`, accountId, subject: instanceOperationSubject(instance), trx }
      )
      return { instance, operation }
    })
  )
}

function instanceNameTaken(name: string) {
  return invalid({
    name: `You already have a server instance named ${name}. Choose another name.`,
  })
}
