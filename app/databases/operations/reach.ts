import type { Engine } from '#databases/engines'
import { noServer } from '#databases/errors'
import { managedServer, serverFor } from '#databases/servers/reach'
import type { Server } from '#databases/servers/server'
import { reachGuestForWork } from '#guest/public'

/** What work on a server is told of it. */
export interface ServerWork {
  engine: Engine
  accountId: number
  /** Null: the managed server. */
  instanceId: number | null
}

/** The server of such work as it is now. */
export async function reachServer({ engine, accountId, instanceId }: ServerWork): Promise<Server> {
  if (instanceId !== null) {
    const { instance } = await reachGuestForWork(instanceId)
    return serverFor(instance, engine)
  }
  const server = managedServer(accountId, engine)
  if (!server) throw noServer('The managed database server is no longer set up. Ask support.')
  return server
}
