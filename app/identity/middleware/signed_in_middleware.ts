import { isPageVisit } from '#core/request_kind'
import { accountIdOf } from '#core/contracts/actor'
import { AppError } from '#core/app_error'
import { assertAbility, assertActiveAccount } from '#identity/policies/abilities'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Rejects requests of people who are not signed in. Customers also need the ability to use the account's resources.
 * While the account is not active, they can only read. Routes with `everyMember` skip both checks.
 */
export default class SignedInMiddleware {
  async handle(ctx: HttpContext, next: NextFn, open?: 'everyMember') {
    const { actorIfSignedIn: actor, request } = ctx
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
    Object.defineProperty(ctx, 'actor', { value: actor })
    return next()
  }
}
