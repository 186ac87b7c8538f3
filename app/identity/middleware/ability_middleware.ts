import type { Ability } from '#core/modules'
import { assertAbility } from '#identity/policies/abilities'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Rejects requests of people without an ability: `middleware.can('staff.manage')`. Must run after `signedIn`. */
export default class AbilityMiddleware {
  async handle(ctx: HttpContext, next: NextFn, ability: Ability) {
    assertAbility(ctx.actor, ability)
    return next()
  }
}
