/** Everything of instances that the worker (and tests) must know, and what they tell others. */
import '#compute/operations/provision'
import '#compute/operations/deletion'
import '#compute/operations/power'
import '#compute/operations/resize'
import '#compute/schedules/end_boosts'
import '#compute/schedules/reconcile'
import '#compute/counts'
import '#compute/sample_data'
import { closeLocks } from '#compute/lock'
import { closeMachines } from '#compute/machines'
import { instanceStatuses } from '#compute/models/server_instance'
import { countsByPackage, listedOn, promisedOn } from '#compute/queries/tenants'
import { stock } from '#compute/stock'
import { tenants } from '#compute/tenants'

stock.instances = countsByPackage
Object.assign(tenants, { promisedOn, listedOn, statuses: instanceStatuses })

/** Ends what instances keep open. */
export async function closeInstances(): Promise<void> {
  await Promise.all([closeMachines(), closeLocks()])
}
