export { default as HostInstance } from '#compute/models/host_instance'
export { default as ServerInstance } from '#compute/models/server_instance'
export { findHost } from '#compute/queries/hosts'
export { findInstance } from '#compute/queries/instances'
export { assertHostCan } from '#compute/policies/host_rules'
export { assertCan } from '#compute/policies/instance_rules'
import type HostInstance from '#compute/models/host_instance'
import type ServerInstance from '#compute/models/server_instance'
import { MachinePool, type Machine } from '#packages/machine/main'

const pool = new MachinePool()
export function machineOf(i: ServerInstance): Machine {
  return pool.get({
    host: i.ip!,
    port: i.ports.ssh,
    username: i.username!,
    privateKey: i.sshKey!,
    hostKey: i.hostKey!,
  })
}
export function hostMachineOf(h: HostInstance): Machine {
  return pool.get({
    host: h.ip,
    port: h.sshPort,
    username: h.username!,
    privateKey: h.sshKey!,
    hostKey: h.hostKey!,
  })
}
