/** What other domains may use of the work inside an instance. */
export * from '#guest/machine/public'
export { selectedInstance } from '#guest/selected_instance'
export {
  type VariablesTarget,
  giveVariables,
  findInstanceIdOf,
  registerInstanceResource,
  onMariadb,
  registerVariablesReceiver,
  runMariadbHooks,
  listVariablesReceivers,
} from '#guest/resources'
export { findGuest, type Guest, connectToGuest, connectToGuestForOperation } from '#guest/guest'
/** For an instance that was loaded with what belongs to it, e.g. a project. */
export { instanceMachine, instanceMachineViaHost } from '#instances/public'
