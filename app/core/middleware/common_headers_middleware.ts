import { commonResponseHeaders } from '#core/common_headers'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Must run before the middleware for health checks, 304 responses and assets, which respond without the router. */
export default class CommonHeadersMiddleware {
  handle({ response }: HttpContext, next: NextFn) {
    for (const [name, value] of Object.entries(commonResponseHeaders)) {
      response.response.setHeader(name, value)
    }
    return next()
  }
}
