export { default as HostInstance } from '#hosts/models/host_instance'
export { getHost } from '#hosts/queries/hosts'
export { assertHostCan } from '#hosts/states/host'
export { assertLocallyManaged, listLocalHosts } from '#hosts/local_hosts'
export { assertHostCapacity, chooseHost } from '#hosts/choose_host'
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
