import type { InstanceStatus } from '#instances/models/server_instance'
import { makeInstance } from '#tests/support/instances'
import type { Cast } from '#tests/support/matrix'

async function make({ customer }: Cast, status: InstanceStatus) {
  const { id } = await makeInstance(customer, status)
  const query = `server_instance_id=${id}`
  return { params: { id }, query, body: { id, server_instance_id: id } }
}

/** The customer's own. */
export const instance = (cast: Cast) => make(cast, 'active')
export const suspended = (cast: Cast) => make(cast, 'suspended')
export const deleted = (cast: Cast) => make(cast, 'deleted')
