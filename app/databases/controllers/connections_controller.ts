import { notPossible } from '#databases/errors'
import { chosenServer } from '#databases/queries/chosen_server'
import { engineOf } from '#databases/queries/engine_of'
import type { HttpContext } from '@adonisjs/core/http'

/** Projects that are given the address of a database. */
export default class ConnectionsController {
  async store(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }
}
