import HostInstance from '#compute/models/host_instance'
import ServerInstance from '#compute/models/server_instance'
import type { Verdict } from '#compute/policies/instance_rules'

/** Instances that one customer can have at most, deleted ones not counted. */
export const MAX_INSTANCES = 50

/** Words for an order that cannot be taken now. */
export const NO_HOST = 'No host can take new instances right now. Nothing was ordered.'
export const TOO_MANY = `You have ${MAX_INSTANCES} instances, which is as many as one account can have.`

/** Whether a customer can order anything at all now, with the reason where not. */
export async function canOrder(customerId: number): Promise<Verdict> {
  const [host, own] = await Promise.all([
    HostInstance.query().where('status', 'active').select('id').first(),
    ServerInstance.query()
      .where('customerId', customerId)
      .whereNot('status', 'deleted')
      .count('* as total')
      .first(),
  ])
  if (!host) return { allowed: false, reason: NO_HOST }
  if (Number(own?.$extras.total ?? 0) >= MAX_INSTANCES) return { allowed: false, reason: TOO_MANY }
  return { allowed: true, reason: null }
}
