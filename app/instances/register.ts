/** Everything of instances that the worker (and tests) must know, and what they tell others. */
import '#instances/operations/provision'
import '#instances/operations/deletion'
import '#instances/operations/power'
import '#instances/operations/resize'
import '#instances/schedules/check_promises'
import '#instances/schedules/end_boosts'
import '#instances/schedules/reconcile'
import '#instances/counts'
import '#instances/sample_data'
import { closeLocks } from '#instances/lock'
import { closeMachines } from '#instances/machines'
import { instanceStatuses } from '#instances/models/server_instance'
import { countsByVersion, listedOn } from '#instances/queries/tenants'
import { addThings, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { giveBackInstances, holdInstances } from '#instances/actions/hold_instances'
import ServerInstance from '#instances/models/server_instance'
import { stock } from '#catalog/public'
import { tenants } from '#hosts/public'

stock.instances = countsByVersion
Object.assign(tenants, { listedOn, statuses: instanceStatuses })

onAccountSuspended(holdInstances)
onAccountResumed(giveBackInstances)

addThings({
  label: 'Server instances',
  async of(accountId) {
    const rows = await ServerInstance.query()
      .where({ accountId })
      .whereNot('status', 'deleted')
      .orderBy('id', 'desc')
    return rows.map(({ id, name, status }) => ({
      ...{ id, name, status },
      href: `/admin/server-instance/${id}`,
    }))
  },
})

/** Ends what instances keep open. */
export async function closeInstances(): Promise<void> {
  await Promise.all([closeMachines(), closeLocks()])
}
