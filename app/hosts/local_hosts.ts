import { NotOnThisHost, localMachineId } from '#core/local_host'
import HostInstance from '#hosts/models/host_instance'

type AccessPath = Pick<HostInstance, 'name' | 'machineId' | 'isLocal' | 'incusUrl'>

/** Queries the hosts that this control machine manages: itself, and the hosts that were added in its console. */
export function listLocalHosts() {
  return HostInstance.live().where('machineId', localMachineId())
}

/**
 * Checks, without connecting, that this machine can reach the host's Incus. A Unix socket works only on its own
 * machine, HTTPS from every console.
 * @throws NotOnThisHost
 */
export function assertLocallyReachable(host: AccessPath): void {
  const bySocket = host.isLocal || host.incusUrl?.startsWith('unix:')
  if (bySocket) assertLocallyManaged(host)
}

export function isLocallyReachable(host: AccessPath): boolean {
  try {
    assertLocallyReachable(host)
    return true
  } catch (error) {
    if (error instanceof NotOnThisHost) return false
    throw error
  }
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
