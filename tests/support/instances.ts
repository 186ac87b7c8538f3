import { ServerInstance } from '#instances/public'
import type Person from '#identity/models/person'
import { smallPackage, unique } from '#tests/support/hosts'

/** A customer's instance that nobody is behind, stopped, so that nobody tries to reach it. */
export async function stoppedInstance(customer: Pick<Person, 'id'>): Promise<ServerInstance> {
  const { id: serverPackageId } = await smallPackage('regular')
  return ServerInstance.create({
    customerId: customer.id,
    serverPackageId,
    name: unique('stopped'),
    instanceType: 'regular',
    status: 'stopped',
    billingPeriod: 'month',
    ports: {},
  })
}
