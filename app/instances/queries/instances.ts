import { accountIdOf, type Actor } from '#core/contracts/actor'
import type { OperationView } from '#core/contracts/operation_view'
import Operation from '#core/models/operation'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import ServerInstance from '#instances/models/server_instance'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Customers see their own instances, staff all. */
export function instancesVisibleTo(actor: Actor, trx?: TransactionClientContract) {
  return ofActor(actor, ServerInstance.live({ client: trx }))
}

/** For read-only pages. */
export function instancesAndDeletedVisibleTo(actor: Actor, trx?: TransactionClientContract) {
  return ofActor(actor, ServerInstance.query({ client: trx }))
}

function ofActor(actor: Actor, query: ReturnType<typeof ServerInstance.live>) {
  return actor.audience === 'staff' ? query : query.where('accountId', accountIdOf(actor))
}

/**
 * @param id unvalidated, from a request
 * @throws the same 404 for unknown instances and those of other customers
 */
export async function getInstance(
  actor: Actor,
  id: unknown,
  trx?: TransactionClientContract
): Promise<ServerInstance> {
  return findOne(instancesVisibleTo(actor, trx), id)
}

/** For read-only pages. */
export function getInstanceEvenIfDeleted(actor: Actor, id: unknown): Promise<ServerInstance> {
  return findOne(instancesAndDeletedVisibleTo(actor), id)
}

async function findOne(
  query: ReturnType<typeof instancesAndDeletedVisibleTo>,
  id: unknown
): Promise<ServerInstance> {
  const key = parseRecordId(id)
  const instance = key
    ? await query
        .where('id', key)
        .preload('package')
        .preload('packageVersion')
        .preload('host')
        .first()
    : null
  if (!instance) throw notFound('server instance')
  return instance
}

/** Pages also use it for live topics. */
export function instanceOperationSubject(instance: Pick<ServerInstance, 'id'>): {
  type: 'server_instance'
  id: number
} {
  return { type: 'server_instance', id: instance.id }
}

/** Keys are instance ids. Omits operations that are done. */
export async function loadPendingOrFailedOperations(
  ids: number[]
): Promise<Map<number, OperationView>> {
  if (ids.length === 0) return new Map()
  const newest = await Operation.query()
    .distinctOn('subject_id')
    .where('subjectType', 'server_instance')
    .whereIn('subjectId', ids.map(String))
    .orderBy([
      { column: 'subject_id', order: 'asc' },
      { column: 'created_at', order: 'desc' },
    ])
  return new Map(
    newest
      .filter(({ status }) => status !== 'done')
      .map((operation) => [Number(operation.subjectId), operation.describe()])
  )
}
