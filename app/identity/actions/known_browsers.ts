import { appUrl, secureCookies } from '#config/app'
import type { Audience } from '#core/contracts/actor'
import type { HttpContext } from '@adonisjs/core/http'
import encryption from '@adonisjs/core/services/encryption'
import { createHash, randomUUID } from 'node:crypto'

/**
 * Cookie that proves that the browser belongs to the owner of an email address. A sign-in or a link in an email
 * sets it. Such a browser has separate attempt limits, so that strangers cannot lock the person out. The cookie
 * grants nothing else.
 */
const KNOWN_BROWSER_COOKIE = 'berth-known'
const MAX_KNOWN_ADDRESSES = 8

/** Returns a key for attempt limits that does not contain the email address itself. */
export function hashedEmailKey(audience: Audience, email: string): string {
  const digest = createHash('sha256')
    .update(`${audience}:${email.toLowerCase()}`)
    .digest('base64url')
  return digest.slice(0, 32)
}

function known({ request }: HttpContext): Record<string, string> {
  const cookie: unknown = request.encryptedCookie(KNOWN_BROWSER_COOKIE)
  return typeof cookie === 'object' && cookie !== null ? (cookie as Record<string, string>) : {}
}

export function findKnownBrowserId(
  ctx: HttpContext,
  audience: Audience,
  email: string
): string | null {
  return known(ctx)[hashedEmailKey(audience, email)] ?? null
}

export function rememberBrowser(ctx: HttpContext, audience: Audience, email: string): void {
  rememberBrowserKey(ctx, hashedEmailKey(audience, email))
}

function rememberBrowserKey(ctx: HttpContext, key: string): void {
  const { [key]: before, ...others } = known(ctx)
  const newest = Object.entries(others).slice(-(MAX_KNOWN_ADDRESSES - 1))
  ctx.response.encryptedCookie(
    KNOWN_BROWSER_COOKIE,
    { ...Object.fromEntries(newest), [key]: before ?? randomUUID() },
    { maxAge: '400d', httpOnly: true, secure: secureCookies, sameSite: 'lax', path: '/' }
  )
}

/** Opening the link marks the browser as known, but does not sign anybody in. */
export function buildUnlockLink(audience: Audience, email: string): string {
  const key = hashedEmailKey(audience, email)
  const token = encryption.encrypt(key, { expiresIn: '1 day', purpose: 'browser' })
  const page = audience === 'staff' ? '/admin/login' : '/login'
  return `${appUrl}${page}?browser=${encodeURIComponent(token)}`
}

/** Returns false if the token is forged or expired. */
export function acceptUnlockLink(ctx: HttpContext, token: unknown): boolean {
  const key = typeof token === 'string' ? encryption.decrypt<string>(token, 'browser') : null
  if (typeof key !== 'string') return false
  rememberBrowserKey(ctx, key)
  return true
}
