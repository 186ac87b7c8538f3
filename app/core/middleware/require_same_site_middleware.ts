import { requireSameSite } from '#core/same_site'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Applies `requireSameSite` to GET requests of routes that change something, such as sign-out. */
export default class RequireSameSiteMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    if (ctx.request.method() === 'GET') requireSameSite(ctx)
    return next()
  }
}
