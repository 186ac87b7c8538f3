import { notPossible } from '#databases/errors'
import { databaseNamed } from '#databases/queries/databases'
import { chosenServer } from '#databases/queries/chosen_server'
import { engineOf } from '#databases/queries/engine_of'
import type { HttpContext } from '@adonisjs/core/http'

/** Files that are brought into databases. */
export default class ImportsController {
  async store(ctx: HttpContext) {
    const server = await chosenServer(ctx, engineOf(ctx))
    await databaseNamed(server, ctx.request.input('database_name'))
    throw notPossible('This is not possible yet.')
  }
}
