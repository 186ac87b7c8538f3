import { Elsewhere, thisMachine } from '#core/this_machine'
import HostInstance from '#hosts/models/host_instance'

type Way = Pick<HostInstance, 'name' | 'machineId' | 'isLocal' | 'incusUrl'>

/** The hosts that this machine keeps: the one that it is, and those that were added by its console. */
export function hostsHere() {
  return HostInstance.live().where('machineId', thisMachine())
}

/**
 * Hosts whose Incus is a socket are reached from their own machine alone, all others from every console.
 * @throws Elsewhere
 */
export function assertReached(host: Way): void {
  const bySocket = host.isLocal || host.incusUrl?.startsWith('unix:')
  if (bySocket) assertHere(host)
}

/** @throws Elsewhere for a host that another machine keeps */
export function assertHere({ name, machineId }: Pick<Way, 'name' | 'machineId'>): void {
  if (machineId === thisMachine()) return
  throw new Elsewhere(
    machineId,
    `${name} is reached from the console of its own machine alone. Open that one.`
  )
}
