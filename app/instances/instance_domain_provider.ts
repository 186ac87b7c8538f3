import type { Actor } from '#core/contracts/actor'
import type { DomainView } from '#instances/views/public_domain_view'
import type ServerInstance from '#instances/models/server_instance'

interface DomainList {
  /** The names that lead to an instance, as its page shows them. */
  viewsOf(instance: Pick<ServerInstance, 'id'>): Promise<DomainView[]>
  /**
   * Makes the list what was typed.
   * @throws 422 for a name that cannot lead there
   */
  save(actor: Actor, instanceId: number, typed: string[], ip?: string): Promise<void>
}

/** Bound by the domain that leads names to instances; until then there are none. */
export const instanceDomainProvider: DomainList = {
  viewsOf: () => Promise.resolve([]),
  save: () => Promise.reject(new Error('Nothing leads domains to instances')),
}
