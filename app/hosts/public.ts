/** What other domains may use of hosts. */
export { default as HostInstance } from '#hosts/models/host_instance'
export { findHost } from '#hosts/queries/hosts'
export { assertHostCan } from '#hosts/states/host'
export { assertLocallyManaged, listLocalHosts } from '#hosts/local_hosts'
export { incusClientFor } from '#hosts/incus_connections'
export { loadDefaultPoolAndNetwork } from '#hosts/inspect_host'
export { hostMachine } from '#hosts/host_machine'
export { listHostAddresses } from '#hosts/addresses'
export { BASE_IMAGE } from '#hosts/base_image'
export {
  INSTALLATION_CONFIG_KEY,
  installationId,
  isCreatedByBerth,
  watchdogName,
  incusName,
} from '#hosts/installation'
export { ensureWatchdogIfPossible } from '#hosts/watchdog/watchdog'
export { assertHostCapacity, chooseHost } from '#hosts/choose_host'
export { FIRST_INSTANCE_PORT, LAST_INSTANCE_PORT } from '#hosts/instance_ports'
export {
  listFreeCapacities,
  offersWithAvailability,
  computeFreeCapacity,
} from '#hosts/queries/capacity'
export { freeCapacityForResize } from '#hosts/capacity'
export { hostTenantProvider } from '#hosts/host_tenant_provider'
export type { HostedServerRow } from '#hosts/transformers/host'
export { saveMemoryUse } from '#hosts/actions/save_memory_use'
export { type HostFinding, saveHostFindings } from '#hosts/actions/save_host_findings'
export { hostUnreachable, NO_HOST_MESSAGE, offlineHostMessage } from '#hosts/errors'
export {
  ISOLATION_SETTINGS,
  DENIED_SYSCALLS_CONFIG_KEY,
} from '#hosts/containment/isolation_settings'
