import type { InstanceStatus } from '#instances/models/server_instance'
import { makeInstance } from '#tests/support/instances'
import type { MatrixPeople } from '#tests/support/access_matrix'

async function makeMatrixInstance({ customer }: MatrixPeople, status: InstanceStatus) {
  const { id } = await makeInstance(customer, status)
  const query = `server_instance_id=${id}`
  return { params: { id }, query, body: { id, server_instance_id: id } }
}

export const makeActiveInstance = (cast: MatrixPeople) => makeMatrixInstance(cast, 'active')
export const makeSuspendedInstance = (cast: MatrixPeople) => makeMatrixInstance(cast, 'suspended')
export const makeDeletedInstance = (cast: MatrixPeople) => makeMatrixInstance(cast, 'deleted')
