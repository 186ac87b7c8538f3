import type { HostInstance } from '#hosts/public'
import type ServerInstance from '#instances/models/server_instance'
import type { Incus } from '#packages/incus/main'

/** The database rows and the Incus client that a step works with. Each step loads them again. */
export interface ContainerContext {
  instance: ServerInstance
  host: HostInstance
  incus: Incus
}
