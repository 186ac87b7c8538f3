import type { StatusMap } from '#core/list_page'
import type { HostServerRow } from '#hosts/transformers/host'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** What was promised to all that lives on a host; bytes and processors. */
export interface Promised {
  instances: number
  cpu: number
  memory: number
  disk: number
}

interface Tenants {
  /** What was promised on each of these hosts, by the host's id; a host without tenants may be left out. */
  promisedOn(ids: number[], trx?: TransactionClientContract): Promise<Map<number, Promised>>
  /** What lives on a host, newest first, for its page. */
  listedOn(hostId: number): Promise<HostServerRow[]>
  /** Their statuses. */
  statuses: StatusMap
}

const unbound = () => Promise.reject(new Error('Nobody tells what lives on hosts'))

/** What lives on hosts. Bound by the domain of instances; without it no room is given away. */
export const tenants: Tenants = { promisedOn: unbound, listedOn: unbound, statuses: {} }
