import { accountIdOf } from '#core/contracts/actor'
import type { Engine } from '#databases/engines'
import {
  NO_DATABASE_SERVER_MESSAGE,
  noDatabaseServer,
  SHARED_INSTANCE_MESSAGE,
} from '#databases/errors'
import { managedServer, resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import { findSelectedInstance, type ServerInstance } from '#instances/public'
import type { HttpContext } from '@adonisjs/core/http'

export const MANAGED_SERVER_ID = 'managed'
const SELECTED_SERVER_KEY = 'chosen_database_server'

export type ServerSelection =
  | { instance: ServerInstance; managed: null; problem: null }
  | { instance: null; managed: Server; problem: null }
  | { instance: null; managed: null; problem: string }

/**
 * Returns the server that the request names (`managed` or an instance). Without one, returns the server selected in
 * this session. Databases of a shared instance are on the managed server.
 */
export async function resolveServerSelection(
  ctx: HttpContext,
  engine: Engine
): Promise<ServerSelection> {
  const managed = managedServer(accountIdOf(ctx.actor), engine)
  const named = ctx.request.qs().server_instance_id ?? ctx.request.input('server_instance_id')
  if (named)
    ctx.session.put(SELECTED_SERVER_KEY, named === MANAGED_SERVER_ID ? MANAGED_SERVER_ID : '')
  if (
    managed &&
    (named
      ? named === MANAGED_SERVER_ID
      : ctx.session.get(SELECTED_SERVER_KEY) === MANAGED_SERVER_ID)
  ) {
    return { instance: null, managed, problem: null }
  }
  if (named === MANAGED_SERVER_ID)
    return { instance: null, managed: null, problem: NO_DATABASE_SERVER_MESSAGE }
  const instance = await findSelectedInstance(ctx)
  if (instance?.instanceType === 'regular') return { instance, managed: null, problem: null }
  if (managed) return { instance: null, managed, problem: null }
  return {
    instance: null,
    managed: null,
    problem: instance ? SHARED_INSTANCE_MESSAGE : NO_DATABASE_SERVER_MESSAGE,
  }
}

/** @throws 409 that says what to do if no server can be used; AppError if the instance is not active or responding */
export async function requireSelectedServer(ctx: HttpContext, engine: Engine): Promise<Server> {
  const { instance, managed, problem } = await resolveServerSelection(ctx, engine)
  if (managed) return managed
  if (!instance) throw noDatabaseServer(problem)
  return resolveDatabaseServer(instance, engine)
}
