import { notPossible } from '#databases/errors'
import { chosenServer } from '#databases/queries/chosen_server'
import { engineOf } from '#databases/queries/engine_of'
import type { HttpContext } from '@adonisjs/core/http'

/** The servers that databases are on. */
export default class ServersController {
  async act(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }

  async log(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }
}
