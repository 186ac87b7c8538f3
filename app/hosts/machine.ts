import { notReachable } from '#core/machine_refusal'
import type HostInstance from '#hosts/models/host_instance'
import { type Machine, MachinePool } from '#packages/machine/main'

const machines = new MachinePool()

/** The machine that a host is, over SSH. Shared by everybody in this process; nobody closes it. */
export async function hostMachineOf(host: HostInstance): Promise<Machine> {
  const { ip, sshPort, username, sshKey, hostKey } = host
  if (!sshKey || !hostKey) throw notReachable('This host cannot be reached over SSH.')
  return machines.get({
    host: ip,
    port: sshPort,
    username: username ?? 'root',
    privateKey: sshKey,
    hostKey,
  })
}

/** Ends all connections to hosts; when the process stops. */
export function closeHostMachines(): Promise<void> {
  return machines.close()
}
