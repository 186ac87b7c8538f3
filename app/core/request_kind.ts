import type { HttpContext } from '@adonisjs/core/http'

export type SiteArea = 'customer' | 'admin'

/** The area that an address belongs to: everything below `/admin` is staff's. */
export function siteAreaOf(path: string): SiteArea {
  return path === '/admin' || path.startsWith('/admin/') ? 'admin' : 'customer'
}

/** Whether a page is asked for as JSON: by name, since browsers and tools that take anything get HTML. */
export function wantsJson({ request }: Pick<HttpContext, 'request'>): boolean {
  return !request.header('x-inertia') && request.accepts(['html', 'json']) === 'json'
}

/** Whether this is a visit of a page (Inertia or a plain form), not a call that wants JSON. */
export function isPageVisit({ request }: Pick<HttpContext, 'request'>): boolean {
  if (request.header('x-inertia')) return true
  return request.accepts(['json', 'html']) === 'html'
}
