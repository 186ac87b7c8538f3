/** Public interface of the instances module for other modules. */
export { default as ServerInstance } from '#instances/models/server_instance'
export {
  getInstance,
  getInstanceEvenIfDeleted,
  instancesVisibleTo,
} from '#instances/queries/instances'
export { assertInstanceCan, type InstanceAction, instanceCan } from '#instances/states/instance'
export {
  connectToActiveInstance,
  connectToActiveInstanceViaHost,
} from '#instances/instance_machines'
export { getOwnContainer } from '#instances/containers/labels'
export { beforeInstanceDeletion, onInstanceDeletionCommit } from '#instances/deletion_hooks'
export { onInstanceRestored, type RestoreInfo } from '#instances/restore_hooks'
export { instanceDomainProvider } from '#instances/instance_domain_provider'
export { closeHostPort, openHostPort } from '#instances/actions/open_host_port'
export {
  closeHostPortForEdge,
  listHostPortsForEdge,
  type InstancePort,
  openHostPortForEdge,
} from '#instances/actions/host_ports_for_edge'
export { saveProjectsAppliedAt } from '#instances/actions/save_projects_applied_at'
export { saveDiskUse } from '#instances/actions/save_disk_use'
