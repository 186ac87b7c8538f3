import { appUrl } from '#config/app'
import { forbidden } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'

/** Returns whether, according to the browser, one of our pages sent the request or the person typed the URL. */
export function isSameSite({ request }: Pick<HttpContext, 'request'>): boolean {
  // The browser loads the page in advance, although the person has not requested it.
  if (/prefetch/i.test(`${request.header('purpose')} ${request.header('sec-purpose')}`))
    return false
  const site = request.header('sec-fetch-site')
  if (site) return site === 'same-origin' || site === 'none'
  const from = request.header('origin') ?? request.header('referer')
  try {
    return from !== undefined && new URL(from).origin === new URL(appUrl).origin
  } catch {
    return false
  }
}

/**
 * Protects a GET request that changes something (decision 0013). Each such route also exists as POST with a
 * CSRF token.
 * @throws 403 unless the request comes from our own pages or a typed URL
 */
export function requireSameSite(ctx: HttpContext): void {
  if (!isSameSite(ctx)) throw forbidden('This works only from the pages of the console.')
}
