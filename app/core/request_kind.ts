import type { HttpContext } from '@adonisjs/core/http'

export type SiteArea = 'customer' | 'admin'

export function siteAreaOf(path: string): SiteArea {
  return path === '/admin' || path.startsWith('/admin/') ? 'admin' : 'customer'
}

/** A client that accepts anything gets HTML. */
export function wantsJson({ request }: Pick<HttpContext, 'request'>): boolean {
  return !request.header('x-inertia') && request.accepts(['html', 'json']) === 'json'
}

/**
 * Returns whether Inertia sent the request, or the client prefers HTML to JSON, as browsers do for pages and plain forms.
 * All other requests are calls of scripts, which expect JSON.
 */
export function isPageVisit({ request }: Pick<HttpContext, 'request'>): boolean {
  if (request.header('x-inertia')) return true
  return request.accepts(['json', 'html']) === 'html'
}
