import { accountIdOf } from '#core/contracts/actor'
import type { Engine } from '#databases/engines'
import { NO_SERVER, noServer, SHARED } from '#databases/errors'
import { managedServer, serverFor } from '#databases/servers/reach'
import type { Server } from '#databases/servers/server'
import { chosenInstance } from '#guest/public'
import type { ServerInstance } from '#instances/public'
import type { HttpContext } from '@adonisjs/core/http'

/** What `server_instance_id` is where the managed server is meant. */
export const MANAGED = 'managed'
const CHOSEN = 'chosen_database_server'

/** Where a request's databases are: an instance, the managed server, or nowhere, with what to do. */
export type Place =
  | { instance: ServerInstance; managed: null; problem: null }
  | { instance: null; managed: Server; problem: null }
  | { instance: null; managed: null; problem: string }

/**
 * The place that a request is about: the one that it names (`managed`, or an instance), else as was
 * chosen in this session. A shared instance has no server of its own: its databases are on the
 * managed one.
 */
export async function chosenPlace(ctx: HttpContext, engine: Engine): Promise<Place> {
  const managed = managedServer(accountIdOf(ctx.actor!), engine)
  const named = ctx.request.qs().server_instance_id ?? ctx.request.input('server_instance_id')
  if (named) ctx.session.put(CHOSEN, named === MANAGED ? MANAGED : '')
  if (managed && (named ? named === MANAGED : ctx.session.get(CHOSEN) === MANAGED)) {
    return { instance: null, managed, problem: null }
  }
  if (named === MANAGED) return { instance: null, managed: null, problem: NO_SERVER }
  const instance = await chosenInstance(ctx)
  if (instance?.instanceType === 'regular') return { instance, managed: null, problem: null }
  if (managed) return { instance: null, managed, problem: null }
  return { instance: null, managed: null, problem: instance ? SHARED : NO_SERVER }
}

/** The server of that place. Throws 409 with what to do where there is none, 503 where it does not answer. */
export async function chosenServer(ctx: HttpContext, engine: Engine): Promise<Server> {
  const { instance, managed, problem } = await chosenPlace(ctx, engine)
  if (managed) return managed
  if (!instance) throw noServer(problem)
  return serverFor(instance, engine)
}
