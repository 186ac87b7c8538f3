import { notPossible } from '#databases/errors'
import { findDatabase } from '#databases/queries/databases'
import { engineOf } from '#databases/queries/engine_of'
import type { HttpContext } from '@adonisjs/core/http'

/** Questions that people ask of a database. */
export default class QueriesController {
  async store(ctx: HttpContext) {
    await findDatabase(ctx.actor!, engineOf(ctx), ctx.params.id)
    throw notPossible('This is not possible yet.')
  }

  async cancel(ctx: HttpContext) {
    await findDatabase(ctx.actor!, engineOf(ctx), ctx.params.id)
    throw notPossible('This is not possible yet.')
  }
}
