import type { StatusLabels } from '#core/list_page'
import type { HostedServerRow } from '#hosts/transformers/host'

interface HostTenants {
  /** Newest first, for the host's page. */
  listedOn(hostId: number): Promise<HostedServerRow[]>
  /** Returns bytes: the disk that is reserved for the base image, of all instances of the host. */
  sumImageReserve(hostId: number): Promise<number>
  statuses: StatusLabels
}

const notBound = () => Promise.reject(new Error('Nobody tells what lives on hosts'))

/** Provided by the instances module. */
export const hostedInstancesProvider: HostTenants = {
  listedOn: notBound,
  sumImageReserve: notBound,
  statuses: {},
}
