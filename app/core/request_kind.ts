import type { HttpContext } from '@adonisjs/core/http'

export type SiteArea = 'customer' | 'admin'

/** Returns the area of a path: everything below `/admin` is for staff. */
export function siteAreaOf(path: string): SiteArea {
  return path === '/admin' || path.startsWith('/admin/') ? 'admin' : 'customer'
}

/** Returns whether the client prefers JSON. Browsers and tools that accept anything get HTML. */
export function wantsJson({ request }: Pick<HttpContext, 'request'>): boolean {
  return !request.header('x-inertia') && request.accepts(['html', 'json']) === 'json'
}

/** Returns whether this is a page visit (by Inertia or a plain form), not a call that expects JSON. */
export function isPageVisit({ request }: Pick<HttpContext, 'request'>): boolean {
  if (request.header('x-inertia')) return true
  return request.accepts(['json', 'html']) === 'html'
}
