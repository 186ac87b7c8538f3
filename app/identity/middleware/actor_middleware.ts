import { areaOf } from '#core/area'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Finds out who acts: the person signed in to the area that the address belongs to. */
export default class ActorMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const audience = areaOf(ctx.request.url()) === 'admin' ? 'staff' : 'customer'
    const guard = ctx.auth.use(audience)
    if (await guard.check()) {
      const person = guard.user!
      if (person.audience === audience && !person.disabledAt) ctx.actor = person.asActor()
      else await guard.logout()
    }
    return next()
  }
}
