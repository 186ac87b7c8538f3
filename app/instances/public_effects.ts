export {
  connectToActiveInstance,
  connectToActiveInstanceViaHost,
} from '#instances/instance_machines'
export {
  connectToGuest,
  connectToGuestForOperation,
  type GuestConnection,
} from '#instances/connect_to_guest'
export { withInstanceLock } from '#instances/instance_lock'
export { getOwnContainer } from '#instances/containers/labels'
export { closeHostPort, openHostPort } from '#instances/actions/open_host_port'
export {
  closeHostPortForEdge,
  listHostPortsForEdge,
  type InstancePort,
  openHostPortForEdge,
} from '#instances/actions/host_ports_for_edge'
export { saveProjectRecordsAppliedAt } from '#instances/actions/save_projects_applied_at'
