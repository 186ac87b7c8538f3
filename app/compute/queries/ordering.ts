import { NO_HOST_WORDS, TOO_MANY_WORDS } from '#compute/errors'
import { MAX_INSTANCES } from '#compute/limits'
import HostInstance from '#compute/models/host_instance'
import ServerInstance from '#compute/models/server_instance'
import type { Verdict } from '#compute/policies/instance_rules'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Whether a customer can order anything at all now, with the reason where not. */
export async function canOrder(customerId: number): Promise<Verdict> {
  const [host, own] = await Promise.all([
    HostInstance.query().where('status', 'active').select('id').first(),
    countOf(customerId),
  ])
  if (!host) return { allowed: false, reason: NO_HOST_WORDS }
  if (own >= MAX_INSTANCES) return { allowed: false, reason: TOO_MANY_WORDS }
  return { allowed: true, reason: null }
}

/** How many instances a customer has, deleted ones not counted. */
export async function countOf(
  customerId: number,
  trx?: TransactionClientContract
): Promise<number> {
  const row = await ServerInstance.query({ client: trx })
    .where('customerId', customerId)
    .whereNot('status', 'deleted')
    .count('* as total')
    .first()
  return Number(row?.$extras.total ?? 0)
}
