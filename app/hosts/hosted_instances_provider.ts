import type { StatusLabels } from '#core/list_page'
import type { HostedServerRow } from '#hosts/transformers/host'

interface HostTenants {
  /** Newest first. */
  listedOn(hostId: number): Promise<HostedServerRow[]>
  /** In bytes, for all instances of the host. */
  sumImageReserve(hostId: number): Promise<number>
  statuses: StatusLabels
}

const notBound = () => Promise.reject(new Error('hostedInstancesProvider is not bound'))

export const hostedInstancesProvider: HostTenants = {
  listedOn: notBound,
  sumImageReserve: notBound,
  statuses: {},
}
