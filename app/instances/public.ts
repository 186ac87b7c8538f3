/** What other domains may use of server instances. */
export { default as ServerInstance } from '#instances/models/server_instance'
export {
  findInstance,
  findInstanceEvenIfDeleted,
  instancesVisibleTo,
} from '#instances/queries/instances'
export { assertInstanceCan, type InstanceAction, instanceCan } from '#instances/states/instance'
export { instanceMachine, instanceMachineViaHost } from '#instances/instance_machines'
export { findOwnContainer } from '#instances/containers/labels'
export { beforeInstanceDeletion, onInstanceDeletionCommit } from '#instances/deletion_hooks'
export { onInstanceRestored } from '#instances/restore_hooks'
export { instanceDomainProvider } from '#instances/instance_domain_provider'
export { closePort, openPort } from '#instances/actions/open_port'
export {
  closeEdgePort,
  listEdgePorts,
  type InstancePort,
  openEdgePort,
} from '#instances/actions/edge_ports'
export { saveDiskUse } from '#instances/actions/save_disk_use'
