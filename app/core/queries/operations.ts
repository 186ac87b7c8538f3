import { accountIdOf, type Actor } from '#core/contracts/actor'
import Operation from '#core/models/operation'
import { parseRecordUuid } from '#core/record_id'
import { notFound } from '#core/app_error'

/** Long work that somebody may see: staff all of it, customers their own. */
export function operationsVisibleTo(actor: Actor) {
  const query = Operation.query()
  return actor.audience === 'staff' ? query : query.where('accountId', accountIdOf(actor))
}

/** One of it; 404 for what is not there or somebody else's. */
export async function getOperation(actor: Actor, id: string): Promise<Operation> {
  const key = parseRecordUuid(id)
  const operation = key ? await operationsVisibleTo(actor).where('id', key).first() : null
  if (!operation) throw notFound('operation')
  return operation
}
