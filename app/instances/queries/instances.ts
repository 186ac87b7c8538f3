import { accountIdOf, type Actor } from '#core/contracts/actor'
import type { OperationView } from '#core/contracts/operation_view'
import Operation from '#core/models/operation'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import ServerInstance from '#instances/models/server_instance'
import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Session } from '@adonisjs/session'

const SELECTED_INSTANCE_KEY = 'chosen_instance'

/** Queries instances that a person has access to: customers their own, staff all. Excludes deleted ones. */
export function instancesVisibleTo(actor: Actor, trx?: TransactionClientContract) {
  return ofActor(actor, ServerInstance.live({ client: trx }))
}

/** Like `instancesVisibleTo`, but includes deleted instances, for read-only pages. */
export function instancesAndDeletedVisibleTo(actor: Actor, trx?: TransactionClientContract) {
  return ofActor(actor, ServerInstance.query({ client: trx }))
}

function ofActor(actor: Actor, query: ReturnType<typeof ServerInstance.live>) {
  return actor.audience === 'staff' ? query : query.where('accountId', accountIdOf(actor))
}

/**
 * Returns an instance by its unvalidated id.
 * @throws 404 if it does not exist, is deleted or belongs to another account. Staff can load instances of all accounts
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

/**
 * Returns the instance named in the request, and stores it in the session. If none is named, returns an active
 * instance of the customer: that of the session, the default one, or the first. Null: none is active, or staff named
 * none.
 * @throws 404 if the person has access to no instance with the named id
 */
export async function findSelectedInstance(
  ctx: HttpContext & { session: Session }
): Promise<ServerInstance | null> {
  const actor = ctx.actor
  const named = ctx.request.qs().server_instance_id ?? ctx.request.input('server_instance_id')
  if (named !== undefined && named !== null && named !== '') {
    const instance = await getInstance(actor, named)
    ctx.session.put(SELECTED_INSTANCE_KEY, instance.id)
    return instance
  }
  if (actor.audience === 'staff') return null
  const mine = await instancesVisibleTo(actor).orderBy('id')
  const active = mine.filter(({ status }) => status === 'active')
  const find = (id: unknown) => active.find((instance) => instance.id === id)
  return (
    find(ctx.session.get(SELECTED_INSTANCE_KEY)) ??
    find(actor.account?.defaultInstanceId) ??
    active[0] ??
    null
  )
}

export function instanceOperationSubject(instance: Pick<ServerInstance, 'id'>): {
  type: 'server_instance'
  id: number
} {
  return { type: 'server_instance', id: instance.id }
}

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
