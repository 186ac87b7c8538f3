import { newRequestId, withTraceContext } from '#packages/telemetry/trace_context'
import { countRequest } from '#packages/telemetry/metrics'
import { beginSpan } from '#packages/telemetry/tracing'
import type { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Creates the request's id, which is also its trace id. Responses, error pages, log lines and started operations
 * contain it. Ignores an id that the client sends, because it may not be unique. Must run first.
 */
export default class RequestIdMiddleware {
  handle(ctx: HttpContext, next: NextFn) {
    const { request, response } = ctx
    const began = performance.now()
    const id = newRequestId()
    const method = request.method()
    request.request.headers['x-request-id'] = id
    response.response.setHeader('x-request-id', id)
    // Replaces the framework's logger, which logs the client's request id.
    ctx.logger = logger
    const span = beginSpan(
      method,
      { 'http.request.method': method },
      {
        origin: { id, isRequest: true },
        kind: 'server',
      }
    )
    response.response.once('close', () => {
      const status = response.response.statusCode
      // The route's pattern instead of the URL, because some URLs contain secrets.
      const route = routeOf(ctx)
      span.name(`${method} ${route}`)
      span.set({ 'http.route': route, 'http.response.status_code': status })
      span.end(status >= 500 ? new Error(`Responded with status ${status}`) : undefined)
      // Event streams are not measured: they last as long as their page is open.
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
