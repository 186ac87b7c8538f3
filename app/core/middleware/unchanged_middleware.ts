import { isUnchanged } from '#core/live/unchanged'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Answers polls that find nothing before sessions and routes (`app/core/live/unchanged.ts`). */
export default class UnchangedMiddleware {
  handle(ctx: HttpContext, next: NextFn) {
    if (ctx.request.method() !== 'GET' || !isUnchanged(ctx)) return next()
    const { response } = ctx.response
    response.writeHead(304, { 'cache-control': 'no-store' })
    response.end()
  }
}
