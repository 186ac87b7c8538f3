/** Everything of hosts that the worker (and tests) must know, and what they tell others. */
import '#hosts/operations/prepare_host'
import '#hosts/schedules/check_hosts'
import '#hosts/schedules/forget_findings'
import '#hosts/schedules/keep_keepers'
import '#hosts/schedules/prepare_hosts'
import '#hosts/badges'
import { closeConnections } from '#hosts/connections'
import { closeHostMachines } from '#hosts/machine'
import { activeRooms, offersIn } from '#hosts/queries/room'
import { stock } from '#catalog/public'

stock.offersOf = async (packages) => offersIn(packages, await activeRooms())

/** Ends what hosts keep open. */
export async function closeHosts(): Promise<void> {
  await Promise.all([closeConnections(), closeHostMachines()])
}
