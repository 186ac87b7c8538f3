import { notPossible } from '#databases/errors'
import { chosenServer } from '#databases/queries/chosen_server'
import { engineOf } from '#databases/queries/engine_of'
import type { HttpContext } from '@adonisjs/core/http'

/** Who may use databases. */
export default class UsersController {
  async store(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }

  async password(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }

  async access(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }

  async remote(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }

  async remove(ctx: HttpContext) {
    await chosenServer(ctx, engineOf(ctx))
    throw notPossible('This is not possible yet.')
  }
}
