import { siteAreaOf } from '#core/request_kind'
import { audit } from '#core/audit/audit'
import type { Audience } from '#core/contracts/actor'
import type Person from '#identity/models/person'
import type { HttpContext } from '@adonisjs/core/http'

export function audienceOf({ request }: Pick<HttpContext, 'request'>): Audience {
  return siteAreaOf(request.url()) === 'admin' ? 'staff' : 'customer'
}

export function loginPath(audience: Audience): string {
  return audience === 'staff' ? '/admin/login' : '/login'
}

/**
 * Returns the path that was requested before the sign-in, and removes it from the session. Never returns a URL of
 * another site.
 */
export function takePathAfterSignIn({ session }: HttpContext, audience: Audience): string {
  const intended: unknown = session.pull('intended')
  const home = audience === 'staff' ? '/admin' : '/'
  return typeof intended === 'string' && /^\/(?![/\\])/.test(intended) ? intended : home
}

export async function auditSessionEvent(
  ctx: HttpContext,
  action: string,
  person: Pick<Person, 'id' | 'name' | 'email' | 'audience'>
) {
  await audit({
    actor: person,
    accountId: person.audience === 'customer' ? person.id : null,
    action,
    subject: { type: 'person', id: person.id, label: person.email },
    ip: ctx.request.ip(),
  })
}
