import { instanceNotReachable } from '#core/machine_errors'
import type HostInstance from '#hosts/models/host_instance'
import { type Machine, MachinePool } from '#packages/machine/main'

const openHostMachines = new MachinePool()

/**
 * Connects to the host over SSH. All callers in this process share the connection, so they must not close it.
 * @throws if the host cannot be reached over SSH
 */
export async function connectToHost(host: HostInstance): Promise<Machine> {
  const { ip, sshPort, username, sshKey, hostKey } = host
  if (!sshKey || !hostKey) throw instanceNotReachable('This host cannot be reached over SSH.')
  return openHostMachines.get({
    host: ip,
    port: sshPort,
    username: username ?? 'root',
    privateKey: sshKey,
    hostKey,
  })
}

/** Call it at process shutdown. */
export function closeHostConnections(): Promise<void> {
  return openHostMachines.close()
}
