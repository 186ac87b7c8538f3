/** What other domains may use of the work inside an instance. */
export * from '#guest/machine/public_without_database'
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
/** For an instance that was loaded with what belongs to it, e.g. a project. */
export { connectToActiveInstance, connectToActiveInstanceViaHost } from '#instances/public'
