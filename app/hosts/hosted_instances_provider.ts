import type { StatusLabels } from '#core/list_page'
import type { HostedServerRow } from '#hosts/transformers/host'

interface HostTenants {
  /** Returns the instances on a host, newest first, for its page. */
  listedOn(hostId: number): Promise<HostedServerRow[]>
  /** Labels of their statuses. */
  statuses: StatusLabels
}

const notBound = () => Promise.reject(new Error('Nobody tells what lives on hosts'))

/** Functions about instances on hosts. The instances module provides them. */
export const hostedInstancesProvider: HostTenants = { listedOn: notBound, statuses: {} }
