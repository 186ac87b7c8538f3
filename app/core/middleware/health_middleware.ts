import { checkReadiness } from '#core/readiness'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * `GET /health`: 200 when the console can serve, 503 when the database is away or its tables are
 * older than this version. `GET /health/live`: 200 as long as the process answers. Answered before
 * sessions and routes, because whoever asks does so all day.
 */
export default class HealthMiddleware {
  async handle({ request, response }: HttpContext, next: NextFn) {
    const path = request.url()
    if (path !== '/health' && path !== '/health/live') return next()
    response.header('cache-control', 'no-store')
    const status = path === '/health' ? await checkReadiness() : 'ok'
    return response.status(status === 'ok' ? 200 : 503).json({ status })
  }
}
