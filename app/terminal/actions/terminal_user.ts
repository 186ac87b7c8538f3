import { siteAreaOf } from '#core/request_kind'
import type { Actor } from '#core/contracts/actor'
import { createAreaSession } from '#core/middleware/area_session_middleware'
import { ActorMiddleware } from '#identity/public_effects'
import type { SignedInSession } from '#packages/terminal-gateway/main'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import InitializeAuthMiddleware from '@adonisjs/auth/initialize_auth_middleware'
import { type IncomingMessage, ServerResponse } from 'node:http'

export class TerminalUser implements SignedInSession {
  readonly personId: string

  constructor(
    readonly actor: Actor,
    readonly sessionId: string,
    /** The cookie of this upgrade request is used to check the session again later. */
    readonly request: IncomingMessage
  ) {
    this.personId = String(actor.id)
  }
}

/**
 * The URL selects the area (customer or staff). No middleware runs for a WebSocket upgrade, so this
 * calls the same session and authentication code as pages. Does not save the session or set a
 * cookie.
 */
export async function findTerminalUser(request: IncomingMessage): Promise<TerminalUser | null> {
  const ctx = await contextOf(request)
  ctx.session = await createAreaSession(ctx, siteAreaOf(ctx.request.url()))
  await ctx.session.initiate(false)
  await new InitializeAuthMiddleware().handle(ctx, async () => {})
  await new ActorMiddleware().handle(ctx, async () => {})
  const { actorIfSignedIn: actor, session } = ctx
  return actor ? new TerminalUser(actor, session.sessionId, request) : null
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
