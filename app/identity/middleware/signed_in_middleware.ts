import { isPageVisit } from '#core/request_kind'
import { accountIdOf } from '#core/contracts/actor'
import { AppError } from '#core/app_error'
import { assertAbility, assertActiveAccount } from '#identity/policies/abilities'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Lets nobody through who is not signed in to this area. Of customers only those who may use what
 * their account has, and only to read while it is not active, unless the route says that it is for
 * `everyMember` (product, "Accounts"): what a new route forgets to say is closed.
 */
export default class SignedInMiddleware {
  async handle(ctx: HttpContext, next: NextFn, open?: 'everyMember') {
    const { actor, request } = ctx
    if (!actor) {
      if (isPageVisit(ctx) && request.method() === 'GET') {
        ctx.session.put('intended', request.url(true))
      }
      throw new AppError('signed_out', 401, 'Sign in first.')
    }
    if (actor.audience === 'customer' && !open) {
      accountIdOf(actor)
      assertAbility(actor, 'machines.use')
      if (request.method() !== 'GET') assertActiveAccount(actor)
    }
    return next()
  }
}
