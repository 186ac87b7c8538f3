import { siteAreaOf, type SiteArea } from '#core/request_kind'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import encryption from '@adonisjs/core/services/encryption'
import ShieldMiddleware from '@adonisjs/shield/shield_middleware'
import edge from 'edge.js'

type Config = ConstructorParameters<typeof ShieldMiddleware>[0]

const shields = new Map<SiteArea, ShieldMiddleware>()

/**
 * Gives each area its own CSRF cookie, because the token belongs to the area's session. Inertia's client
 * expects the name XSRF-TOKEN, so the two cookies differ only in their path. Browsers send the cookie with
 * the longer path first.
 */
export default class AreaShieldMiddleware {
  async handle(ctx: HttpContext, next: () => Promise<void>) {
    const area = siteAreaOf(ctx.request.url())
    let shield = shields.get(area)
    if (!shield) {
      const config = app.config.get<Config>('shield')
      const csrf = {
        ...config.csrf,
        // As long as the session lasts, so that forms on a page left open overnight still work.
        cookieOptions: { path: area === 'admin' ? '/admin' : '/', maxAge: '7 days' },
      }
      shield = new ShieldMiddleware({ ...config, csrf } as Config, encryption.use(), edge)
      shields.set(area, shield)
    }
    return shield.handle(ctx, next)
  }
}
