/** Everything of compute that the worker (and tests) must know. */
import '#compute/operations/provision'
import '#compute/operations/deletion'
import '#compute/operations/power'
import '#compute/operations/prepare_host'
import '#compute/operations/resize'
import '#compute/chores/end_boosts'
import '#compute/chores/check_hosts'
import '#compute/chores/keep_keepers'
import '#compute/chores/prepare_hosts'
import '#compute/chores/reconcile'
import '#compute/chores/sample_hosts'
import '#compute/edge/serve_domains'
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
