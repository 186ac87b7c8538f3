/** Everything of instances that the worker (and tests) must know, and what they tell others. */
import '#instances/operations/provision'
import '#instances/operations/deletion'
import '#instances/operations/power'
import '#instances/operations/resize'
import '#instances/schedules/end_boosts'
import '#instances/schedules/reconcile'
import '#instances/counts'
import '#instances/sample_data'
import { closeLocks } from '#instances/lock'
import { closeMachines } from '#instances/machines'
import { instanceStatuses } from '#instances/models/server_instance'
import { countsByVersion, listedOn, promisedOn } from '#instances/queries/tenants'
import { stock } from '#catalog/public'
import { tenants } from '#hosts/public'

stock.instances = countsByVersion
Object.assign(tenants, { promisedOn, listedOn, statuses: instanceStatuses })

/** Ends what instances keep open. */
export async function closeInstances(): Promise<void> {
  await Promise.all([closeMachines(), closeLocks()])
}
