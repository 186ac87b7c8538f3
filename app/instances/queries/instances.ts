import { accountIdOf, type Actor } from '#core/contracts/actor'
import Operation, { type OperationView } from '#core/models/operation'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import ServerInstance from '#instances/models/server_instance'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** The instances that a person may reach: customers their own, staff all; deleted ones left out. */
export function instancesVisibleTo(actor: Actor, trx?: TransactionClientContract) {
  return ofActor(actor, ServerInstance.live({ client: trx }))
}

/** The same with deleted ones: to be looked at, never acted on. */
export function instancesAndDeletedVisibleTo(actor: Actor, trx?: TransactionClientContract) {
  return ofActor(actor, ServerInstance.query({ client: trx }))
}

function ofActor(actor: Actor, query: ReturnType<typeof ServerInstance.live>) {
  return actor.audience === 'staff' ? query : query.where('accountId', accountIdOf(actor))
}

/** The instance with this id (as a call sends it), or the same 404 for unknown and other people's. */
export async function getInstance(
  actor: Actor,
  id: unknown,
  trx?: TransactionClientContract
): Promise<ServerInstance> {
  return findOne(instancesVisibleTo(actor, trx), id)
}

/** As `getInstance`, deleted ones too: for pages that only show. */
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

/** What pages name an instance's work by, e.g. for operations and live topics. */
export function instanceOperationSubject(instance: Pick<ServerInstance, 'id'>): {
  type: 'server_instance'
  id: number
} {
  return { type: 'server_instance', id: instance.id }
}

/** The newest work on each instance unless it is done, by the instance's id. */
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
