import { instanceNotReachable } from '#core/machine_errors'
import type HostInstance from '#hosts/models/host_instance'
import { type Machine, MachinePool } from '#packages/machine/main'

const openHostMachines = new MachinePool()

/**
 * Returns a machine that runs commands on the host over SSH. Its connection opens with the first command. All callers
 * in this process share the machine, so they must not close it.
 * @throws 409 if no SSH key or host key is stored
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
