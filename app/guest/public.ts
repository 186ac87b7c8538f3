/** What other domains may use of the work inside an instance. */
export * from '#guest/machine/public_without_database'
export { findSelectedInstance } from '#guest/selected_instance'
export {
  type EnvironmentVariablesTarget,
  addEnvironmentVariables,
  findInstanceIdOfResource,
  registerInstanceLookup,
  onMariadbChanged,
  registerEnvironmentReceiver,
  runMariadbChangedHooks,
  listEnvironmentReceivers,
} from '#guest/instance_resources'
export {
  findUsableInstance,
  type Guest,
  connectToGuest,
  connectToGuestForOperation,
} from '#guest/guest'
/** For an instance that was loaded with what belongs to it, e.g. a project. */
export { instanceMachine, instanceMachineViaHost } from '#instances/public'
