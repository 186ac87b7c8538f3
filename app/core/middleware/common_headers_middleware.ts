import { commonResponseHeaders } from '#core/common_headers'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Sets headers of all responses. Must run first, because responses for assets and health checks bypass the router. */
export default class CommonHeadersMiddleware {
  handle({ response }: HttpContext, next: NextFn) {
    for (const [name, value] of Object.entries(commonResponseHeaders)) {
      response.response.setHeader(name, value)
    }
    return next()
  }
}
