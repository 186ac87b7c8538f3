import { siteAreaOf } from '#core/request_kind'
import type { Actor } from '#core/contracts/actor'
import { createAreaSession } from '#core/middleware/area_session_middleware'
import { ActorMiddleware } from '#identity/public'
import type { Identity } from '#packages/terminal-gateway/main'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import InitializeAuthMiddleware from '@adonisjs/auth/initialize_auth_middleware'
import { type IncomingMessage, ServerResponse } from 'node:http'

/** Who opened a WebSocket, and by which session. */
export class TerminalUser implements Identity {
  readonly personId: string

  constructor(
    readonly actor: Actor,
    readonly sessionId: string,
    /** What proves it, to ask again later. */
    readonly request: IncomingMessage
  ) {
    this.personId = String(actor.id)
  }
}

/**
 * The person whose session cookie a WebSocket's opening request carries, in the area of its
 * address; null when signed out. An upgrade passes by all middleware, so session, sign-in and
 * person are asked here, by the same code as for every page. The session is only read: nothing
 * of it is written back, and no cookie is set.
 */
export async function findTerminalUser(request: IncomingMessage): Promise<TerminalUser | null> {
  const ctx = await contextOf(request)
  ctx.session = await createAreaSession(ctx, siteAreaOf(ctx.request.url()))
  await ctx.session.initiate(false)
  await new InitializeAuthMiddleware().handle(ctx, async () => {})
  await new ActorMiddleware().handle(ctx, async () => {})
  return ctx.actor ? new TerminalUser(ctx.actor, ctx.session.sessionId, request) : null
}

async function contextOf(incoming: IncomingMessage): Promise<HttpContext> {
  const server = await app.container.make('server')
  const outgoing = new ServerResponse(incoming)
  return server.createHttpContext(
    server.createRequest(incoming, outgoing),
    server.createResponse(incoming, outgoing),
    app.container.createResolver()
  )
}
