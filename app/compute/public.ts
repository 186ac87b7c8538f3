/** What other domains may use of compute. */
export { default as HostInstance } from '#compute/models/host_instance'
export { default as ServerInstance } from '#compute/models/server_instance'
export { findHost } from '#compute/queries/hosts'
export { findInstance } from '#compute/queries/instances'
export { assertHostCan } from '#compute/policies/host_rules'
export { assertCan } from '#compute/policies/instance_rules'
export { machineOf } from '#compute/connections'
export { hostMachineOf } from '#compute/host_machine'
