import { isPageVisit } from '#core/request_kind'
import type { HttpContext } from '@adonisjs/core/http'

export interface ActionResponse {
  message: string
  data?: Record<string, unknown>
  /** 200 unless told, e.g. 201, 202; for calls, not for page visits. */
  status?: number
  /** Where a page visit goes on; back to where it came from unless told. */
  to?: string
  /** The visit goes on in a document of its own, so that nothing of the last one stays in the browser. */
  anew?: boolean
}

const respondedContexts = new WeakSet<HttpContext>()

/** Whether a call has had its successful answer. A refusal does not reach middleware as an error. */
export function hasRespondedWithSuccess(ctx: HttpContext): boolean {
  return respondedContexts.has(ctx)
}

/**
 * The one successful answer of calls (product, "Answers of calls"): a page visit is redirected
 * (303) with a notice, a call gets `{ success, message, data? }`.
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
    // With its query: tab, page and filter stay.
    else redirect.withQs().back()
    return
  }
  ctx.response.status(status).json({ success: true, message, ...(data ? { data } : {}) })
}
