import type { HostInstance } from '#hosts/public'
import type ServerInstance from '#instances/models/server_instance'
import type { Incus } from '#packages/incus/main'

/** Loaded again for each step. */
export interface ContainerContext {
  instance: ServerInstance
  host: HostInstance
  incus: Incus
}
