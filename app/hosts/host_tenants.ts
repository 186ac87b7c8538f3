import type { StatusMap } from '#core/list_page'
import type { HostServerRow } from '#hosts/transformers/host'

interface HostTenants {
  /** What lives on a host, newest first, for its page. */
  listedOn(hostId: number): Promise<HostServerRow[]>
  /** Their statuses. */
  statuses: StatusMap
}

const notBound = () => Promise.reject(new Error('Nobody tells what lives on hosts'))

/** What lives on hosts. Bound by the domain of instances. */
export const hostTenants: HostTenants = { listedOn: notBound, statuses: {} }
