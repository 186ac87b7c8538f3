import { notReachable } from '#core/machine_errors'
import type HostInstance from '#hosts/models/host_instance'
import { type Machine, MachinePool } from '#packages/machine/main'

const openHostMachines = new MachinePool()

/** The machine that a host is, over SSH. Shared by everybody in this process; nobody closes it. */
export async function connectToHost(host: HostInstance): Promise<Machine> {
  const { ip, sshPort, username, sshKey, hostKey } = host
  if (!sshKey || !hostKey) throw notReachable('This host cannot be reached over SSH.')
  return openHostMachines.get({
    host: ip,
    port: sshPort,
    username: username ?? 'root',
    privateKey: sshKey,
    hostKey,
  })
}

/** Ends all connections to hosts; when the process stops. */
export function closeHostConnections(): Promise<void> {
  return openHostMachines.close()
}
