import { plainHeaders } from '#core/security_headers'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Stands before all others, because assets and health checks are answered before routes. */
export default class HeadersMiddleware {
  handle({ response }: HttpContext, next: NextFn) {
    for (const [name, value] of Object.entries(plainHeaders)) {
      response.response.setHeader(name, value)
    }
    return next()
  }
}
