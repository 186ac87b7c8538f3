import { type SiteArea, siteAreaOf } from '#core/request_kind'
import { SessionStore } from '#core/session_store'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import emitter from '@adonisjs/core/services/emitter'
import app from '@adonisjs/core/services/app'
import { Session } from '@adonisjs/session'
import SessionMiddleware from '@adonisjs/session/session_middleware'

type Config = ConstructorParameters<typeof SessionMiddleware>[0]

const sessions = new Map<string, SessionMiddleware<Record<string, never>>>()

/**
 * Gives the customer area and the staff area separate sessions, so that one browser can be signed in to both
 * (docs/product.md, "People").
 */
export default class AreaSessionMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const area = siteAreaOf(ctx.request.url())
    let session = sessions.get(area)
    if (!session) {
      session = new SessionMiddleware(await configOf(area), emitter)
      sessions.set(area, session)
    }
    return session.handle(ctx, next)
  }
}

/** Does not load the session. For requests that bypass this middleware. */
export async function createAreaSession(ctx: HttpContext, area: SiteArea): Promise<Session> {
  const config = await configOf(area)
  return new Session(config, config.stores[config.store], emitter, ctx)
}

let resolved: Promise<Config> | undefined

async function configOf(area: SiteArea): Promise<Config> {
  const provider = app.config.get<{ resolver(app: unknown): Promise<Config> }>('session')
  resolved ??= provider.resolver(app)
  const cookieName = area === 'admin' ? 'berth-staff' : 'berth-customer'
  const config = await resolved
  const table = config.stores[config.store]
  const visits: typeof table = (ctx, own) => new SessionStore(table(ctx, own), ctx, own)
  return { ...config, cookieName, stores: { ...config.stores, [config.store]: visits } }
}
