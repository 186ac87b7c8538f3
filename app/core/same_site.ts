import { appUrl } from '#config/app'
import { forbidden } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'

/** Whether a browser says that our own pages, or the person's own typing, made this request. */
export function isSameSite({ request }: Pick<HttpContext, 'request'>): boolean {
  // Fetched ahead, nobody has asked for it yet.
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
 * The proof that a GET which changes something needs (decision 0013); each has a
 * POST twin with a token.
 */
export function requireSameSite(ctx: HttpContext): void {
  if (!isSameSite(ctx)) throw forbidden('This works only from the pages of the console.')
}
