import { NotOnThisHost, localMachineId } from '#core/local_host'
import HostInstance from '#hosts/models/host_instance'

type AccessPath = Pick<HostInstance, 'name' | 'machineId' | 'isLocal' | 'incusUrl'>

/** Queries hosts that this machine manages: itself, and hosts that were added in its console. */
export function listLocalHosts() {
  return HostInstance.live().where('machineId', localMachineId())
}

/**
 * Only the host's own machine can reach Incus through a Unix socket. All other hosts are reachable
 * from every console.
 * @throws NotOnThisHost
 */
export function assertLocallyReachable(host: AccessPath): void {
  const bySocket = host.isLocal || host.incusUrl?.startsWith('unix:')
  if (bySocket) assertLocallyManaged(host)
}

/** @throws NotOnThisHost if another machine manages the host */
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
