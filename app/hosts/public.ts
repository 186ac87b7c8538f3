/** What other domains may use of hosts. */
export { default as HostInstance } from '#hosts/models/host_instance'
export { findHost } from '#hosts/queries/hosts'
export { assertHostCan } from '#hosts/states/host'
export { assertManagedHere, listLocalHosts } from '#hosts/local_hosts'
export { incusClientFor } from '#hosts/incus_connections'
export { loadInstanceDefaults } from '#hosts/inspect_host'
export { hostMachine } from '#hosts/host_machine'
export { listHostAddresses } from '#hosts/addresses'
export { BASE_IMAGE } from '#hosts/base_image'
export {
  INSTALLATION_KEY,
  installationId,
  isMadeByBerth,
  watchdogName,
  incusName,
} from '#hosts/installation'
export { ensureWatchdogIfPossible } from '#hosts/watchdog/watchdog'
export { assertHostCapacity, chooseHost } from '#hosts/choose_host'
export { FIRST_PORT, LAST_PORT } from '#hosts/ports'
export { listActiveHostRooms, offersWithRoom, loadHostRoom } from '#hosts/queries/capacity'
export { roomForResize } from '#hosts/capacity'
export { hostTenants } from '#hosts/host_tenants'
export type { HostServerRow } from '#hosts/transformers/host'
export { saveMemoryUse } from '#hosts/actions/save_memory_use'
export { type Finding, saveFindings } from '#hosts/actions/save_findings'
export { hostUnreachable, NO_HOST_MESSAGE, silentHostMessage } from '#hosts/errors'
export { ISOLATION_SETTINGS, SYSCALLS_KEY } from '#hosts/containment/settings'
