import { isPageVisit } from '#core/request_kind'
import type { HttpContext } from '@adonisjs/core/http'

export interface ActionResponse {
  message: string
  data?: Record<string, unknown>
  /** HTTP status of the JSON response. Default 200. */
  status?: number
  /** URL to redirect a page visit to. Default: the previous page. */
  to?: string
  /** Forces a full page load, so that the browser keeps no data of the previous page. */
  anew?: boolean
}

const respondedContexts = new WeakSet<HttpContext>()

/**
 * Returns whether `respond` has responded to the request, which means success. Middleware needs this because it
 * does not receive an AppError as a thrown error.
 */
export function hasRespondedWithSuccess(ctx: HttpContext): boolean {
  return respondedContexts.has(ctx)
}

/**
 * Responds to a request (docs/product.md, "Answers of calls"): page visits get a redirect (303) with a
 * notice, calls get JSON.
 */
export function respond(
  ctx: HttpContext,
  { message, data, status = 200, to, anew }: ActionResponse
): void {
  respondedContexts.add(ctx)
  if (isPageVisit(ctx)) {
    ctx.session.flash('notice', { success: true, message })
    if (anew && to && ctx.request.header('x-inertia')) return void ctx.inertia.location(to)
    const redirect = ctx.response.redirect().status(303)
    if (to) redirect.toPath(to)
    // The query string keeps the open tab, page number and filter.
    else redirect.withQs().back()
    return
  }
  ctx.response.status(status).json({ success: true, message, ...(data ? { data } : {}) })
}
