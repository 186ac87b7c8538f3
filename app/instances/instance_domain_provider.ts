import type { Actor } from '#core/contracts/actor'
import type { DomainView } from '#instances/transformers/domain_view'
import type ServerInstance from '#instances/models/server_instance'

interface DomainList {
  viewsOf(instance: Pick<ServerInstance, 'id'>): Promise<DomainView[]>
  /** @throws 422 if a domain cannot point to the instance */
  save(actor: Actor, instanceId: number, typed: string[], ip?: string): Promise<void>
}

/** Domains of instances. The module `edge` sets the implementation. Without it, instances have no domains. */
export const instanceDomainProvider: DomainList = {
  viewsOf: () => Promise.resolve([]),
  save: () => Promise.reject(new Error('instanceDomainProvider is not bound')),
}
