import { accountIdOf, type Actor } from '#core/contracts/actor'
import Operation from '#core/models/operation'
import { notFound } from '#core/refusal'

/** Long work that somebody may see: staff all of it, customers their own. */
export function visibleOperations(actor: Actor) {
  const query = Operation.query()
  return actor.audience === 'staff' ? query : query.where('accountId', accountIdOf(actor))
}

/** One of it; 404 for what is not there or somebody else's. */
export async function findOperation(actor: Actor, id: string): Promise<Operation> {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  const operation = uuid.test(id) ? await visibleOperations(actor).where('id', id).first() : null
  if (!operation) throw notFound('operation')
  return operation
}
