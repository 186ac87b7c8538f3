import type { Engine } from '#databases/engines'
import { noDatabaseServer } from '#databases/errors'
import { managedServer, resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import { connectToGuestForOperation } from '#instances/public_effects'

export interface ServerOperationInput {
  engine: Engine
  accountId: number
  /** Null: the managed server. */
  instanceId: number | null
}

export async function loadServer({
  engine,
  accountId,
  instanceId,
}: ServerOperationInput): Promise<Server> {
  if (instanceId !== null) {
    const { instance } = await connectToGuestForOperation(instanceId)
    return resolveDatabaseServer(instance, engine)
  }
  const server = managedServer(accountId, engine)
  if (!server)
    throw noDatabaseServer('The managed database server is no longer set up. Ask support.')
  return server
}
