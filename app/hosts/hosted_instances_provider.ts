import type { StatusLabels } from '#core/list_page'
import type { HostedServerRow } from '#hosts/transformers/host'

interface HostTenants {
  /** Lists instances for the host's page, newest first. */
  listedOn(hostId: number): Promise<HostedServerRow[]>
  /** Returns the bytes that all instances of the host reserve for the base image. */
  sumImageReserve(hostId: number): Promise<number>
  statuses: StatusLabels
}

const notBound = () => Promise.reject(new Error('hostedInstancesProvider is not bound'))

export const hostedInstancesProvider: HostTenants = {
  listedOn: notBound,
  sumImageReserve: notBound,
  statuses: {},
}
