/** What other domains may use of the work inside an instance. */
export * from '#guest/machine/public'
export { chosenInstance } from '#guest/chosen'
export {
  type Given,
  giveVariables,
  instanceWith,
  livesOn,
  onMariadb,
  takesVariables,
  tellMariadb,
  thingsTakingVariables,
} from '#guest/things'
export { findGuest, type Guest, reachGuest, reachGuestForWork } from '#guest/instance'
/** For an instance that was loaded with what belongs to it, e.g. a project. */
export { machineOf, machineThroughHost } from '#instances/public'
