import { notPossible } from '#databases/errors'
import { chosenServer } from '#databases/queries/chosen_server'
import { engineOf } from '#databases/queries/engine_of'
import type { HttpContext } from '@adonisjs/core/http'

/** Databases of an account. */
export default class DatabasesController {
  async index(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }

  async show(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }

  async store(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }

  async drop(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }
}
