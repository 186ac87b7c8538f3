import { isPageVisit } from '#core/request_kind'
import type { HttpContext } from '@adonisjs/core/http'

export interface ActionResponse {
  message: string
  data?: Record<string, unknown>
  /** HTTP status of a call's response. Default 200. */
  status?: number
  /** URL of the redirect after a page visit. Default: the previous page. */
  to?: string
  /** Forces a full page load, so that the browser keeps no data of the previous page. */
  anew?: boolean
}

const respondedContexts = new WeakSet<HttpContext>()

/**
 * Returns whether the request succeeded. Middleware needs it, because rejections do not reach it as thrown
 * errors.
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
    // Keeps the tab, page and filter in the URL.
    else redirect.withQs().back()
    return
  }
  ctx.response.status(status).json({ success: true, message, ...(data ? { data } : {}) })
}
