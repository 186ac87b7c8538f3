import {
  agree,
  allocationOf,
  type BillingPeriod,
  holdOffer,
  type InstanceType,
  startSubscription,
} from '#catalog/public'
import { audit } from '#core/audit/audit'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { invalid } from '#core/refusal'
import { place } from '#hosts/public'
import { lockAccount } from '#accounts/public'
import { tooManyInstances } from '#instances/errors'
import { MAX_INSTANCES } from '#instances/limits'
import ServerInstance from '#instances/models/server_instance'
import { provision } from '#instances/operations/provision'
import { subjectOf } from '#instances/queries/instances'
import { countOf } from '#instances/queries/ordering'
import db from '@adonisjs/lucid/services/db'

export interface Order {
  name: string
  instanceType: InstanceType
  serverPackageId: number
  billingPeriod: BillingPeriod
  /** The number of the package's version whose price was shown; what is sold now, if left out. */
  packageVersion?: number
  /** The address that the order came from. */
  ip?: string
}

/**
 * Orders an instance for a customer: finds it a place and starts making it, in one transaction.
 * @throws refusals for a name that is taken, an unknown package, a price that is no longer the one
 * shown, too many instances, no room
 */
export async function orderInstance(
  actor: Actor,
  { name, instanceType, serverPackageId, billingPeriod, packageVersion, ip }: Order
): Promise<{ instance: ServerInstance; operation: Operation }> {
  const accountId = accountIdOf(actor)
  return nameTakenIs422(() =>
    db.transaction(async (trx) => {
      // One order of an account at a time, so that counting them is exact.
      await lockAccount(accountId, trx)
      const offer = await holdOffer(serverPackageId, trx)
      if (offer?.row.instanceType !== instanceType) {
        throw invalid({ server_package_id: 'This package is not offered. Choose another.' })
      }
      const { version } = offer
      const price = await agree(offer, billingPeriod, packageVersion, trx)
      if ((await countOf(accountId, trx)) >= MAX_INSTANCES) throw tooManyInstances()
      const taken = await ServerInstance.live({ client: trx }).where({ accountId, name }).first()
      if (taken) throw nameTaken(name)
      const allocation = allocationOf(version.specifications)
      const host = await place(allocation, trx)
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
          processes: allocation.processes ?? null,
          boostMode: true,
        },
        { client: trx }
      )
      await startSubscription(
        { accountId, subject: subjectOf(instance), version, period: billingPeriod },
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
        provision,
        { instanceId: instance.id },
        { title: `Creating ${name}`, accountId, subject: subjectOf(instance), trx }
      )
      return { instance, operation }
    })
  )
}

function nameTaken(name: string) {
  return invalid({
    name: `You already have a server instance named ${name}. Choose another name.`,
  })
}

async function nameTakenIs422<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    if (code !== '23505' || constraint !== 'server_instances_name') throw error
    throw invalid({
      name: 'You already have a server instance with this name. Choose another name.',
    })
  }
}
