import { requireSameSite } from '#core/same_site'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Protects the few specified GET routes that change something. See `requireSameSite`. */
export default class RequireSameSiteMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    if (ctx.request.method() === 'GET') requireSameSite(ctx)
    return next()
  }
}
