import { siteAreaOf, type SiteArea } from '#core/request_kind'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import encryption from '@adonisjs/core/services/encryption'
import ShieldMiddleware from '@adonisjs/shield/shield_middleware'
import edge from 'edge.js'

type Config = ConstructorParameters<typeof ShieldMiddleware>[0]

const shields = new Map<SiteArea, ShieldMiddleware>()

/**
 * One CSRF cookie for each area, because the token belongs to the area's session. Both are called
 * XSRF-TOKEN, as Inertia's client reads it; the path keeps them apart: a browser names the longer
 * path first, and customers' pages never see the one below `/admin`.
 */
export default class AreaShieldMiddleware {
  async handle(ctx: HttpContext, next: () => Promise<void>) {
    const area = siteAreaOf(ctx.request.url())
    let shield = shields.get(area)
    if (!shield) {
      const config = app.config.get<Config>('shield')
      const csrf = {
        ...config.csrf,
        // As long as the session, so that a page left open overnight still works.
        cookieOptions: { path: area === 'admin' ? '/admin' : '/', maxAge: '7 days' },
      }
      shield = new ShieldMiddleware({ ...config, csrf } as Config, encryption.use(), edge)
      shields.set(area, shield)
    }
    return shield.handle(ctx, next)
  }
}
