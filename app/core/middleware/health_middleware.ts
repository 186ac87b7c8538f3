import { checkReadiness } from '#core/readiness'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Serves `GET /health` (503 if the database is unreachable or its tables are older than this version) and `GET
 * /health/live` (always 200). Both bypass the session and the router, because monitoring requests them all day.
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
