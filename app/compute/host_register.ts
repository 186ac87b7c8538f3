/** Everything of hosts that the worker (and tests) must know, and what they tell others. */
import '#compute/operations/prepare_host'
import '#compute/schedules/check_hosts'
import '#compute/schedules/keep_keepers'
import '#compute/schedules/prepare_hosts'
import '#compute/badges'
import { closeConnections } from '#compute/connections'
import { closeHostMachines } from '#compute/host_machine'
import { activeRooms, offersIn } from '#compute/queries/room'
import { stock } from '#compute/stock'

stock.offersOf = async (packages) => offersIn(packages, await activeRooms())

/** Ends what hosts keep open. */
export async function closeHosts(): Promise<void> {
  await Promise.all([closeConnections(), closeHostMachines()])
}
