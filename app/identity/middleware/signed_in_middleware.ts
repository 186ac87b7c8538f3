import { isPageVisit } from '#core/area'
import { Refusal } from '#core/refusal'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Lets nobody through who is not signed in to this area. */
export default class SignedInMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    if (ctx.actor) return next()
    if (isPageVisit(ctx) && ctx.request.method() === 'GET') {
      ctx.session.put('intended', ctx.request.url(true))
    }
    throw new Refusal('signed_out', 401, 'Sign in first.')
  }
}
