import { NotOnThisHost, localMachineId } from '#core/local_host'
import HostInstance from '#hosts/models/host_instance'

type AccessPath = Pick<HostInstance, 'name' | 'machineId' | 'isLocal' | 'incusUrl'>

/** The hosts that this machine keeps: the one that it is, and those that were added by its console. */
export function listLocalHosts() {
  return HostInstance.live().where('machineId', localMachineId())
}

/**
 * Hosts whose Incus is a socket are reached from their own machine alone, all others from every console.
 * @throws NotOnThisHost
 */
export function assertLocallyReachable(host: AccessPath): void {
  const bySocket = host.isLocal || host.incusUrl?.startsWith('unix:')
  if (bySocket) assertLocallyManaged(host)
}

/** @throws NotOnThisHost for a host that another machine keeps */
export function assertLocallyManaged({
  name,
  machineId,
}: Pick<AccessPath, 'name' | 'machineId'>): void {
  if (machineId === localMachineId()) return
  throw new NotOnThisHost(
    machineId,
    `${name} can be managed only from the console on its own machine. Open that console.`
  )
}
