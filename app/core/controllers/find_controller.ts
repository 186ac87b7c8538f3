import { answer } from '#core/answers'
import { findThings } from '#core/find'
import type { HttpContext } from '@adonisjs/core/http'

/** `?words=`: things by their names, for Ctrl+K. */
export default class FindController {
  async show(ctx: HttpContext) {
    const { words } = ctx.request.qs()
    const things = typeof words === 'string' ? await findThings(ctx.actor!, words) : []
    return answer(ctx, { message: '', data: { things } })
  }
}
