import { ServerInstance } from '#instances/public'
import type { InstanceStatus } from '#instances/models/server_instance'
import { smallPackage, unique } from '#tests/support/hosts'
import type { Cast } from '#tests/support/matrix'

async function make({ customer }: Cast, status: InstanceStatus) {
  const { id: serverPackageId } = await smallPackage('regular')
  const { id } = await ServerInstance.create({
    customerId: customer.id,
    serverPackageId,
    name: unique('matrix'),
    instanceType: 'regular',
    billingPeriod: 'month',
    status,
    ports: {},
  })
  const query = `server_instance_id=${id}`
  return { params: { id }, query, body: { id, server_instance_id: id } }
}

/** The customer's own. */
export const instance = (cast: Cast) => make(cast, 'active')
export const suspended = (cast: Cast) => make(cast, 'suspended')
export const deleted = (cast: Cast) => make(cast, 'deleted')
