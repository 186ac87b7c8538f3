import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import { type OperationKind, startOperation } from '#core/operations/operations'
import { notFound } from '#core/app_error'
import { instanceBusy } from '#instances/errors'
import ServerInstance from '#instances/models/server_instance'
import { instanceOperationSubject } from '#instances/queries/instances'
import { assertInstanceCan, type InstanceAction } from '#instances/states/instance'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface InstanceOperationRequest<Input extends object> {
  action: InstanceAction
  kind: OperationKind<Input>
  title(instance: ServerInstance): string
  /** Prepares the operation and returns its input. Runs while the instance row is locked. */
  begin(instance: ServerInstance, trx: TransactionClientContract): Promise<Input> | Input
  audited: string
  after?: Record<string, unknown>
  ip?: string
  besides?: boolean
  /** The transaction of a larger change that includes this operation. */
  trx?: TransactionClientContract
}

/**
 * Checks the instance's state while the row is locked, so that only one of two concurrent requests starts an operation
 * (unless `besides` is set). The caller checks permissions.
 * @param actor null for Berth itself
 */
export async function startInstanceOperation<Input extends object>(
  actor: Actor | null,
  instanceId: number,
  { trx: outer, ...asked }: InstanceOperationRequest<Input>
): Promise<Operation> {
  const { action, kind, title, begin, audited, after, ip, besides } = asked
  const start = async (trx: TransactionClientContract) => {
    const instance = await ServerInstance.live({ client: trx })
      .where('id', instanceId)
      .preload('host')
      .forUpdate()
      .first()
    if (!instance) throw notFound('server instance')
    assertInstanceCan(action, instance)
    if (!besides && (await hasUnfinishedOperation(instance, trx))) throw instanceBusy()
    const input = await begin(instance, trx)
    await instance.save()
    await audit(
      {
        actor,
        accountId: instance.accountId,
        action: audited,
        subject: { type: 'server_instance', id: instance.id, label: instance.name },
        after,
        ip,
      },
      trx
    )
    return startOperation(kind, input, {
      title: title(instance),
      accountId: instance.accountId,
      subject: instanceOperationSubject(instance),
      trx,
    })
  }
  return outer ? start(outer) : db.transaction(start)
}

/** Returns whether an operation of the instance is queued, running or stuck. */
export async function hasUnfinishedOperation(
  instance: Pick<ServerInstance, 'id'>,
  trx?: TransactionClientContract
): Promise<boolean> {
  return (await listBusyInstanceIds([instance.id], trx)).size > 0
}

export async function listBusyInstanceIds(
  ids: number[],
  trx?: TransactionClientContract
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const { type } = instanceOperationSubject({ id: 0 })
  const open = await Operation.query({ client: trx })
    .where('subjectType', type)
    .whereIn('subjectId', ids.map(String))
    .whereIn('status', UNFINISHED_STATUSES)
    .select('subjectId')
  return new Set(open.map(({ subjectId }) => Number(subjectId)))
}
