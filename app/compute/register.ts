/** Everything of compute that the worker (and tests) must know. */
import '#compute/operations/provision'
import '#compute/operations/deletion'
import '#compute/operations/power'
import '#compute/operations/prepare_host'
import '#compute/operations/resize'
import '#compute/schedules/end_boosts'
import '#compute/schedules/check_hosts'
import '#compute/schedules/keep_keepers'
import '#compute/schedules/prepare_hosts'
import '#compute/schedules/reconcile'
import '#compute/schedules/sample_metrics'
import '#compute/schedules/serve_domains'
import '#compute/badges'
import '#compute/offers'
import '#compute/sample_data'
import { closeConnections } from '#compute/connections'
import { closeHostMachines } from '#compute/host_machine'
import { closeLocks } from '#compute/lock'

/** Ends what compute keeps open. */
export async function closeCompute(): Promise<void> {
  await Promise.all([closeConnections(), closeHostMachines(), closeLocks()])
}
