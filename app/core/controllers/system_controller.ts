import { answer } from '#core/answers'
import { findOperation } from '#core/queries/operations'
import { giveUpOperation, retryOperation } from '#core/operations/stuck'
import { renderPage } from '#core/page'
import { systemPage } from '#core/queries/system'
import type { HttpContext } from '@adonisjs/core/http'

/** `/admin/system`: what Berth is doing by itself, and what of it needs somebody. */
export default class SystemController {
  async index(ctx: HttpContext) {
    return renderPage(ctx, 'admin/system', await systemPage())
  }

  async retry(ctx: HttpContext) {
    await retryOperation(await findOperation(ctx.actor!, ctx.params.id), ctx.actor!)
    return answer(ctx, { message: 'It goes on where it was.' })
  }

  async giveUp(ctx: HttpContext) {
    await giveUpOperation(await findOperation(ctx.actor!, ctx.params.id), ctx.actor!)
    return answer(ctx, { message: 'It is ended as failed.' })
  }
}
