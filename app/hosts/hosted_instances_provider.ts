import type { StatusLabels } from '#core/list_page'
import type { HostedServerRow } from '#hosts/transformers/host'

interface HostTenants {
  /** What lives on a host, newest first, for its page. */
  listedOn(hostId: number): Promise<HostedServerRow[]>
  /** Their statuses. */
  statuses: StatusLabels
}

const notBound = () => Promise.reject(new Error('Nobody tells what lives on hosts'))

/** What lives on hosts. Bound by the domain of instances. */
export const hostedInstancesProvider: HostTenants = { listedOn: notBound, statuses: {} }
