import { isNotModified } from '#core/live/not_modified'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Responds with 304 before the session is loaded and the route is chosen (`app/core/live/not_modified.ts`). */
export default class NotModifiedMiddleware {
  handle(ctx: HttpContext, next: NextFn) {
    if (ctx.request.method() !== 'GET' || !isNotModified(ctx)) return next()
    const { response } = ctx.response
    response.writeHead(304, { 'cache-control': 'no-store' })
    response.end()
  }
}
