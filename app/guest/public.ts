/** Actions inside an instance, for other modules. */
export * from '#guest/engine'
export { findSelectedInstance } from '#guest/selected_instance'
export {
  type AddEnvironmentVariablesRequest,
  addEnvironmentVariables,
  getInstanceIdOfResource,
  registerInstanceLookup,
  onMariadbChanged,
  registerEnvironmentReceiver,
  runMariadbChangedHooks,
  listEnvironmentReceivers,
} from '#guest/module_hooks'
export {
  loadUsableInstance,
  type GuestConnection,
  connectToGuest,
  connectToGuestForOperation,
} from '#guest/connect_to_guest'
/** For instances that another module has already loaded. */
export { connectToActiveInstance, connectToActiveInstanceViaHost } from '#instances/engine'
