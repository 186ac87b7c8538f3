/** What other domains may use of server instances. */
export { default as ServerInstance } from '#instances/models/server_instance'
export { findInstance, findRecord, instancesOf } from '#instances/queries/instances'
export { assertCan, type InstanceAction, instanceCan } from '#instances/states/instance'
export { machineOf, machineThroughHost } from '#instances/machines'
export { ownContainer } from '#instances/containers/marks'
export { onInstanceDeleted, onInstanceGone } from '#instances/hooks'
export { domainList } from '#instances/domain_list'
export { closePort, openPort } from '#instances/actions/open_port'
export {
  closeHiddenPort,
  hiddenPorts,
  type InnerPort,
  openHiddenPort,
} from '#instances/actions/hidden_ports'
export { noteDiskUse } from '#instances/actions/note_disk_use'
