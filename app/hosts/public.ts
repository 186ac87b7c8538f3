/** Public interface of the hosts module for other modules. */
export { default as HostInstance } from '#hosts/models/host_instance'
export { getHost } from '#hosts/queries/hosts'
export { assertHostCan } from '#hosts/states/host'
export { assertLocallyManaged, listLocalHosts } from '#hosts/local_hosts'
export { incusClientFor } from '#hosts/incus_connections'
export { loadDefaultPoolAndNetwork } from '#hosts/inspect_host'
export { connectToHost } from '#hosts/connect_to_host'
export { listHostAddresses } from '#hosts/host_addresses'
export { BASE_IMAGE } from '#hosts/base_image'
export {
  INSTALLATION_CONFIG_KEY,
  loadInstallationId,
  isCreatedByBerth,
  watchdogContainerName,
  uniqueIncusName,
} from '#hosts/installation_identity'
export { ensureBuildModeWatchdogIfPossible } from '#hosts/watchdog/build_mode_watchdog'
export { assertHostCapacity, chooseHost } from '#hosts/choose_host'
export { FIRST_INSTANCE_PORT, LAST_INSTANCE_PORT } from '#hosts/instance_port_range'
export {
  listFreeCapacities,
  offersWithAvailability,
  computeFreeCapacity,
} from '#hosts/queries/capacity'
export { computeFreeCapacityForResize } from '#hosts/capacity'
export { hostedInstancesProvider } from '#hosts/hosted_instances_provider'
export type { HostedServerRow } from '#hosts/transformers/host'
export { saveHostMemoryUse } from '#hosts/actions/save_host_memory_use'
export { type HostDiscrepancy, saveHostDiscrepancies } from '#hosts/actions/save_host_discrepancies'
export { hostUnreachable, NO_HOST_MESSAGE, offlineHostMessage } from '#hosts/errors'
export {
  ISOLATION_SETTINGS,
  DENIED_SYSCALLS_CONFIG_KEY,
} from '#hosts/containment/isolation_settings'
