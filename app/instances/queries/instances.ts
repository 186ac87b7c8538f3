import type { Actor } from '#core/contracts/actor'
import type { CustomerFacts } from '#core/contracts/customer_facts'
import Operation, { type OperationView } from '#core/models/operation'
import { recordId } from '#core/record_id'
import { notFound } from '#core/refusal'
import { Person } from '#identity/public'
import ServerInstance from '#instances/models/server_instance'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** The instances that a person may reach: customers their own, staff all; deleted ones left out. */
export function instancesOf(actor: Actor, trx?: TransactionClientContract) {
  return recordsOf(actor, trx).whereNot('status', 'deleted')
}

/** The same with deleted ones: to be looked at, never acted on. */
export function recordsOf(actor: Actor, trx?: TransactionClientContract) {
  const query = ServerInstance.query({ client: trx })
  return actor.audience === 'staff' ? query : query.where('customerId', actor.id)
}

/** The instance with this id (as a call sends it), or the same 404 for unknown and other people's. */
export async function findInstance(
  actor: Actor,
  id: unknown,
  trx?: TransactionClientContract
): Promise<ServerInstance> {
  return oneOf(instancesOf(actor, trx), id)
}

/** As `findInstance`, deleted ones too: for pages that only show. */
export function findRecord(actor: Actor, id: unknown): Promise<ServerInstance> {
  return oneOf(recordsOf(actor), id)
}

async function oneOf(query: ReturnType<typeof recordsOf>, id: unknown): Promise<ServerInstance> {
  const key = recordId(id)
  const instance = key
    ? await query.where('id', key).preload('package').preload('host').first()
    : null
  if (!instance) throw notFound('server instance')
  return instance
}

/** What pages name an instance's work by, e.g. for operations and live topics. */
export function subjectOf(instance: Pick<ServerInstance, 'id'>): {
  type: 'server_instance'
  id: number
} {
  return { type: 'server_instance', id: instance.id }
}

/** The newest work on each instance unless it is done, by the instance's id. */
export async function unfinishedWork(ids: number[]): Promise<Map<number, OperationView>> {
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

/** Names and addresses of customers by id. */
export async function customersOf(ids: number[]): Promise<Map<number, CustomerFacts>> {
  const people = await Person.query().whereIn('id', [...new Set(ids)])
  return new Map(people.map(({ id, name, email }) => [id, { id, name, email }]))
}

/** The instance that a customer chose as default; null without one. */
export async function defaultInstanceOf(customerId: number): Promise<number | null> {
  const row = await Person.query()
    .where('id', customerId)
    .select('default_instance_id as chosen')
    .first()
  const chosen = row?.$extras.chosen as number | null | undefined
  return chosen ?? null
}
