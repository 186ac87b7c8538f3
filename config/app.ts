import { createTrustedProxyCheck } from '#packages/proxies/trusted_proxies'
import env from '#start/env'
import { defineConfig } from '@adonisjs/core/http'

export const appKey = env.get('APP_KEY')

/**
 * URL of the console in links of emails and for the return from Google's sign-in page. It comes from the settings, and
 * never from a request's Host header.
 */
export const appUrl = env.get('APP_URL').replace(/\/$/, '')

export const secureCookies = appUrl.startsWith('https:')

export const http = defineConfig({
  // Off, because `app/core/middleware/request_id_middleware.ts` creates the request IDs.
  generateRequestId: false,
  allowMethodSpoofing: false,
  useAsyncLocalStorage: false,
  trustProxy: createTrustedProxyCheck(env.get('TRUSTED_PROXIES')),
  redirect: { forwardQueryString: false },
  cookie: {
    domain: '',
    path: '/',
    maxAge: '2h',
    httpOnly: true,
    secure: secureCookies,
    sameSite: 'lax',
  },
})
