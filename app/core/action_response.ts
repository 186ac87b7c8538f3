import { isPageVisit } from '#core/request_kind'
import type { HttpContext } from '@adonisjs/core/http'

export interface ActionResponse {
  message: string
  data?: Record<string, unknown>
  /** Status of a call's response, not of a page visit. Default 200. */
  status?: number
  /** Redirect of a page visit. Default: the page that it came from. */
  to?: string
  /** Loads a new document, so that the browser keeps nothing of the previous page. */
  anew?: boolean
}

const respondedContexts = new WeakSet<HttpContext>()

/** Returns whether the request succeeded. Middleware does not see rejections as thrown errors. */
export function hasRespondedWithSuccess(ctx: HttpContext): boolean {
  return respondedContexts.has(ctx)
}

/**
 * Responds to a request (docs/product.md, "Answers of calls"). Redirects a page visit (303) with a notice. A
 * call gets `{ success, message, data? }`.
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
    // The query string keeps tab, page and filter.
    else redirect.withQs().back()
    return
  }
  ctx.response.status(status).json({ success: true, message, ...(data ? { data } : {}) })
}
