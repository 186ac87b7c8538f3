import { notPossible } from '#databases/errors'
import { findDatabase } from '#databases/queries/databases'
import { engineOf } from '#databases/queries/engine_of'
import type { HttpContext } from '@adonisjs/core/http'

/** What is in a database. */
export default class TablesController {
  async rows(ctx: HttpContext) {
    await findDatabase(ctx.actor!, engineOf(ctx), ctx.params.id)
    throw notPossible('This is not possible yet.')
  }

  async structure(ctx: HttpContext) {
    await findDatabase(ctx.actor!, engineOf(ctx), ctx.params.id)
    throw notPossible('This is not possible yet.')
  }
}
