import type { Actor } from '#core/contracts/actor'
import type { DomainView } from '#instances/transformers/domain_view'
import type ServerInstance from '#instances/models/server_instance'

interface DomainList {
  /** Returns the domains that point to an instance, for its page. */
  viewsOf(instance: Pick<ServerInstance, 'id'>): Promise<DomainView[]>
  /**
   * Saves the domain list of an instance.
   * @throws 422 if a domain cannot point to it
   */
  save(actor: Actor, instanceId: number, typed: string[], ip?: string): Promise<void>
}

/** Domain functions that the edge module provides. The default has no domains. */
export const instanceDomainProvider: DomainList = {
  viewsOf: () => Promise.resolve([]),
  save: () => Promise.reject(new Error('Nothing leads domains to instances')),
}
