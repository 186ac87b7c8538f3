import { appUrl } from '#config/app'
import { AppError } from '#core/app_error'
import env from '#start/env'
import type { HttpContext } from '@adonisjs/core/http'
import { GoogleDriver } from '@adonisjs/ally/drivers/google'

export function isGoogleSignInConfigured(): boolean {
  return Boolean(env.get('GOOGLE_CLIENT_ID') && env.get('GOOGLE_CLIENT_SECRET'))
}

interface Endpoints {
  authorizeUrl: string
  accessTokenUrl: string
  userInfoUrl: string
}

/**
 * GOOGLE_ISSUER replaces Google by another OpenID Connect provider, whose discovery document is loaded.
 * @throws 409 if Google sign-in is not configured; Error if the discovery document cannot be loaded
 */
export async function googleDriver(ctx: HttpContext): Promise<GoogleDriver> {
  if (!isGoogleSignInConfigured()) {
    throw new AppError('google_missing', 409, 'Google sign-in is not set up on this server.')
  }
  const issuer = env.get('GOOGLE_ISSUER')
  return new GoogleDriver(ctx, {
    clientId: env.get('GOOGLE_CLIENT_ID')!,
    clientSecret: env.get('GOOGLE_CLIENT_SECRET')!.release(),
    callbackUrl: `${appUrl}/google/callback`,
    scopes: ['openid', 'userinfo.email', 'userinfo.profile'],
    ...(issuer && (await endpointsOf(issuer))),
  })
}

async function endpointsOf(issuer: string): Promise<Endpoints> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(address, { signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error(`${address} answers ${response.status}`)
  const tokens = (await response.json()) as Record<string, string>
  return {
    authorizeUrl: tokens.authorization_endpoint,
    accessTokenUrl: tokens.token_endpoint,
    userInfoUrl: tokens.userinfo_endpoint,
  }
}
