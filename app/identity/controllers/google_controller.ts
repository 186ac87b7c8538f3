import { signIn } from '#identity/actions/sign_in_and_out'
import { googleDriver, isGoogleSignInConfigured } from '#identity/google_driver'
import { findOrCreateCustomer } from '#identity/actions/find_or_create_customer'
import { auditSessionEvent, takePathAfterSignIn } from '#identity/controllers/sign_in_helpers'
import Person from '#identity/models/person'
import type { HttpContext } from '@adonisjs/core/http'
import { randomBytes, timingSafeEqual } from 'node:crypto'

/** Session key of the OAuth state. A state is valid for one callback. */
const STATE_KEY = 'googleState'

/** For customers only. */
export default class GoogleController {
  async redirect(ctx: HttpContext) {
    if (!isGoogleSignInConfigured())
      return back(ctx, 'Google sign-in is not set up on this server.')
    try {
      const state = randomBytes(32).toString('base64url')
      const driver = (await googleDriver(ctx)).stateless()
      ctx.session.put(STATE_KEY, state)
      return await driver.redirect((request) => request.param('state', state))
    } catch (error) {
      ctx.logger.warn({ err: error }, 'google')
      return back(ctx, 'Google does not respond. Sign in with your email, or try again later.')
    }
  }

  async callback(ctx: HttpContext) {
    if (!isGoogleSignInConfigured())
      return back(ctx, 'Google sign-in is not set up on this server.')
    const state: unknown = ctx.session.pull(STATE_KEY)
    const driver = (await googleDriver(ctx)).stateless()
    if (!isSameState(state, ctx.request.qs().state))
      return back(ctx, 'The sign-in took too long. Try again.')
    if (driver.accessDenied()) return back(ctx, 'You did not allow access at Google.')
    if (driver.hasError()) return back(ctx, 'Google could not sign you in. Try again.')
    let profile
    try {
      profile = await driver.user()
    } catch (error) {
      ctx.logger.warn({ err: error }, 'google')
      return back(ctx, 'Google could not sign you in. Try again.')
    }
    const { id, email, emailVerificationState, name } = profile
    if (!id || !email || emailVerificationState !== 'verified' || /[\s<>"]/.test(email)) {
      return back(ctx, 'Google has not verified the email of this account.')
    }
    const ip = ctx.request.ip()
    let person = await Person.query().where({ audience: 'customer', googleSubject: id }).first()
    if (!person) {
      person = await findOrCreateCustomer(email, {
        name: name?.replace(/\p{Cc}/gu, ''),
        ip,
        way: 'google',
      })
      if (person.googleSubject) {
        return back(
          ctx,
          'An account here with this email is connected to another Google account. Sign in with that Google account.'
        )
      }
      if (!person.disabledAt) await person.merge({ googleSubject: id }).save()
    }
    if (person.disabledAt) {
      return back(ctx, 'This account is disabled. Ask support to enable it.')
    }
    await signIn(ctx, person)
    await auditSessionEvent(ctx, 'person.sign_in', person)
    return ctx.response.redirect().toPath(takePathAfterSignIn(ctx, 'customer'))
  }
}

/**
 * Compares the OAuth states. The library ally accepts a callback without cookie and state. An attacker could then
 * sign a victim in to the attacker's account.
 */
function isSameState(expected: unknown, received: unknown): boolean {
  if (typeof expected !== 'string' || typeof received !== 'string' || !expected) return false
  const [one, other] = [Buffer.from(expected), Buffer.from(received)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function back({ session, response }: HttpContext, message: string) {
  session.flash('notice', { success: false, message })
  return response.redirect().toPath('/login')
}
