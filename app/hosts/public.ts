/** What other domains may use of hosts. */
export { default as HostInstance } from '#hosts/models/host_instance'
export { findHost } from '#hosts/queries/hosts'
export { assertHostCan } from '#hosts/states/host'
export { assertHere, hostsHere } from '#hosts/here'
export { incusOf } from '#hosts/connections'
export { groundOf } from '#hosts/inspect'
export { hostMachineOf } from '#hosts/machine'
export { addressesOf } from '#hosts/addresses'
export { BASE_IMAGE } from '#hosts/base_image'
export {
  INSTALLATION_KEY,
  installationId,
  isMarked,
  watchdogName,
  nameInIncus,
} from '#hosts/installation'
export { tryWatchdog } from '#hosts/watchdog/watchdog'
export { assertRoom, place } from '#hosts/place'
export { FIRST_PORT, LAST_PORT } from '#hosts/ports'
export { activeRooms, offersIn, roomOf } from '#hosts/queries/room'
export { roomBeside } from '#hosts/room'
export { tenants } from '#hosts/tenants'
export type { HostServerRow } from '#hosts/transformers/host'
export { noteMemoryUse } from '#hosts/actions/note_memory_use'
export { type Finding, noteFindings } from '#hosts/actions/note_findings'
export { hostAway, NO_HOST_MESSAGE, silentHostMessage } from '#hosts/errors'
export { ISOLATION_SETTINGS, SYSCALLS_KEY } from '#hosts/containment/settings'
