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
export { FIRST_INSTANCE_PORT, LAST_INSTANCE_PORT } from '#hosts/instance_port_range'
export {
  ISOLATION_SETTINGS,
  DENIED_SYSCALLS_CONFIG_KEY,
} from '#hosts/containment/isolation_settings'
