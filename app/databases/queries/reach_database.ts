import type Database from '#databases/models/database'
import { findDatabase } from '#databases/queries/databases'
import { engineOf } from '#databases/queries/engine_of'
import { driverOf } from '#databases/servers/drivers'
import type { EngineDriver } from '#databases/servers/engine'
import { serverFor } from '#databases/servers/reach'
import type { Server } from '#databases/servers/server'
import type { HttpContext } from '@adonisjs/core/http'

/** A database that a request is about, the server that it is on, and what can be done there. */
export type Reached = EngineDriver & { database: Database; server: Server }

/** 404 for unknown and other people's; a refusal where the server cannot be reached. */
export async function reachDatabase(ctx: HttpContext): Promise<Reached> {
  const engine = engineOf(ctx)
  const database = await findDatabase(ctx.actor!, engine, ctx.params.id)
  const server = await serverFor(database, engine)
  return { ...driverOf(database), database, server }
}

/** Names a server among all, for what is counted on it. */
export function serverKey({ engine, instance }: Server): string {
  return instance ? `${engine}:${instance.id}` : engine
}
