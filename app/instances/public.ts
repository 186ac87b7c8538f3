/** What other domains may use of server instances. */
export { default as ServerInstance } from '#instances/models/server_instance'
export { findInstance, findInstanceRecord, instancesVisibleTo } from '#instances/queries/instances'
export { assertCan, type InstanceAction, instanceCan } from '#instances/states/instance'
export { instanceMachine, instanceMachineViaHost } from '#instances/instance_machines'
export { findOwnContainer } from '#instances/containers/labels'
export { onInstanceDeleted, onInstanceGone } from '#instances/deletion_hooks'
export { onInstanceRestored } from '#instances/restore_hooks'
export { instanceDomainList } from '#instances/instance_domain_list'
export { closePort, openPort } from '#instances/actions/open_port'
export {
  closeHiddenPort,
  hiddenPorts,
  type InnerPort,
  openHiddenPort,
} from '#instances/actions/hidden_ports'
export { saveDiskUse } from '#instances/actions/save_disk_use'
