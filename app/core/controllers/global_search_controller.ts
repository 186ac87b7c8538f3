import { respond } from '#core/action_response'
import { searchEverything } from '#core/global_search'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * Serves the global search (Ctrl+K) for `?words=`. A page whose session has ended requests it without `words`, to
 * find out who is signed in now.
 */
export default class GlobalSearchController {
  async show(ctx: HttpContext) {
    const { words } = ctx.request.qs()
    const results = typeof words === 'string' ? await searchEverything(ctx.actor, words) : []
    return respond(ctx, { message: '', data: { things: results, person: ctx.actor.id } })
  }
}
