import { accountIdOf, type Actor } from '#core/contracts/actor'
import Operation from '#core/models/operation'
import { parseRecordUuid } from '#core/record_id'
import { notFound } from '#core/app_error'

export function operationsVisibleTo(actor: Actor) {
  const query = Operation.query()
  return actor.audience === 'staff' ? query : query.where('accountId', accountIdOf(actor))
}

/** @throws 404 if it does not exist or belongs to another account */
export async function getOperation(actor: Actor, id: string): Promise<Operation> {
  const key = parseRecordUuid(id)
  const operation = key ? await operationsVisibleTo(actor).where('id', key).first() : null
  if (!operation) throw notFound('operation')
  return operation
}
