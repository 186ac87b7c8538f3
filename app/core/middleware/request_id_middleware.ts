import { newRequestId, withTraceContext } from '#packages/telemetry/trace_context'
import { countRequest } from '#packages/telemetry/metrics'
import { beginSpan } from '#packages/telemetry/tracing'
import type { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Stands before all others: gives each request its number, which is in the answer's headers, on pages of
 * errors, in each line of the log, with the operations that it begins, and is the id of its trace. What a
 * caller calls its request is not believed: two could be one.
 */
export default class RequestIdMiddleware {
  handle(ctx: HttpContext, next: NextFn) {
    const { request, response } = ctx
    const began = performance.now()
    const id = newRequestId()
    const method = request.method()
    request.request.headers['x-request-id'] = id
    response.response.setHeader('x-request-id', id)
    // Its own has the number that the caller gave; this one has that of whatever is worked for.
    ctx.logger = logger
    const span = beginSpan(
      method,
      { 'http.request.method': method },
      {
        origin: { id },
        kind: 'server',
      }
    )
    response.response.once('close', () => {
      const status = response.response.statusCode
      // A pattern and never an address: some have secrets in them.
      const route = routeOf(ctx)
      span.name(`${method} ${route}`)
      span.set({ 'http.route': route, 'http.response.status_code': status })
      span.end(status >= 500 ? new Error(`Answered with ${status}`) : undefined)
      // A stream lasts as long as somebody looks.
      if (isStream(ctx)) return
      countRequest(method, route, status, (performance.now() - began) / 1_000)
    })
    return withTraceContext(span.origin, next)
  }
}

function routeOf({ route, request }: HttpContext): string {
  if (route) return route.pattern
  return request.url() === '/health' ? '/health' : 'file'
}

function isStream({ response }: HttpContext): boolean {
  return String(response.response.getHeader('content-type') ?? '').startsWith('text/event-stream')
}
