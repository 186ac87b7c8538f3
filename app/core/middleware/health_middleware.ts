import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import db from '@adonisjs/lucid/services/db'

/**
 * `GET /health`: 200 when the console can serve, 503 when the database is away. Answered before
 * sessions and routes, because whoever asks does so all day.
 */
export default class HealthMiddleware {
  async handle({ request, response }: HttpContext, next: NextFn) {
    if (request.url() !== '/health') return next()
    response.header('cache-control', 'no-store')
    try {
      await db.rawQuery('select 1')
      return response.json({ status: 'ok' })
    } catch {
      return response.status(503).json({ status: 'database unavailable' })
    }
  }
}
