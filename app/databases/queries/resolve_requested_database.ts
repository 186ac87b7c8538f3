import type Database from '#databases/models/database'
import { getDatabase } from '#databases/queries/databases'
import { engineOfRoute } from '#databases/queries/engine_of_route'
import { databaseDriver } from '#databases/servers/drivers'
import type { EngineDriver } from '#databases/servers/engine_driver'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import type { HttpContext } from '@adonisjs/core/http'

export type ResolvedDatabase = EngineDriver & { database: Database; server: Server }

/**
 * Returns the requested database and its server.
 * @throws 404 if it does not exist or belongs to another account; AppError if its instance is not active or does not
 * respond, or if the managed server is not configured
 */
export async function resolveRequestedDatabase(ctx: HttpContext): Promise<ResolvedDatabase> {
  const engine = engineOfRoute(ctx)
  const database = await getDatabase(ctx.actor, engine, ctx.params.id)
  const server = await resolveDatabaseServer(database, engine)
  return { ...databaseDriver(database), database, server }
}

/** Returns the key of a server for concurrency limits. On a managed server, each account has a separate key. */
export function databaseServerKey({ engine, instance, accountId }: Server): string {
  return instance ? `${engine}:${instance.id}` : `${engine}:managed:${accountId}`
}
