import type Database from '#databases/models/database'
import { getDatabase } from '#databases/queries/databases'
import { engineOfRoute } from '#databases/queries/engine_of_route'
import { databaseDriver } from '#databases/servers/drivers'
import type { EngineDriver } from '#databases/servers/engine_driver'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import type { HttpContext } from '@adonisjs/core/http'

/** A database that a request is about, the server that it is on, and what can be done there. */
export type ResolvedDatabase = EngineDriver & { database: Database; server: Server }

/** 404 for unknown and other people's; a refusal where the server cannot be reached. */
export async function resolveRequestedDatabase(ctx: HttpContext): Promise<ResolvedDatabase> {
  const engine = engineOfRoute(ctx)
  const database = await getDatabase(ctx.actor!, engine, ctx.params.id)
  const server = await resolveDatabaseServer(database, engine)
  return { ...databaseDriver(database), database, server }
}

/** Names a server among all, for what is counted on it; of a managed one each account has its own share. */
export function databaseServerKey({ engine, instance, accountId }: Server): string {
  return instance ? `${engine}:${instance.id}` : `${engine}:managed:${accountId}`
}
