import { renderPage } from '#core/render_page'
import { respond } from '#core/action_response'
import { acceptUnlockLink } from '#identity/actions/known_browsers'
import { signIn } from '#identity/actions/sign_in_and_out'
import { isGoogleSignInConfigured } from '#identity/google_driver'
import { consumeAttempt } from '#identity/actions/attempt_limits'
import { ONE_TIME_CODE_LIMITS, type PendingCode } from '#identity/actions/one_time_code'
import { verifyCredentials } from '#identity/actions/passwords'
import {
  audienceOf,
  auditSessionEvent,
  loginPath,
  takePathAfterSignIn,
} from '#identity/controllers/sign_in_helpers'
import { wrongCredentials } from '#identity/errors'
import type { LoginState } from '#identity/transformers/page_props'
import { signInValidator } from '#identity/validators/sign_in'
import type { HttpContext } from '@adonisjs/core/http'

/** Mode of the sign-in page, by the value of `?action=` in the URL. */
const actions: Record<string, LoginState> = {
  'get-started': 'send_otp',
  invited: 'send_otp',
  'check-mail': 'check_mail',
}

export default class LoginController {
  async show(ctx: HttpContext) {
    const { actorIfSignedIn: actor, request, response, session } = ctx
    const audience = audienceOf(ctx)
    if (actor) return response.redirect().toPath(audience === 'staff' ? '/admin' : '/')
    const { action, browser } = request.qs()
    if (browser !== undefined) {
      const accepted = acceptUnlockLink(ctx, browser)
      session.flash('notice', {
        success: accepted,
        message: accepted
          ? 'You can sign in from this browser again.'
          : 'This link has expired. Send a new OTP to get a new link.',
      })
      return response.redirect().toPath(loginPath(audience))
    }
    const pending = findPendingCode(ctx)
    const flashedState = session.flashMessages.get('loginState') as LoginState | undefined
    const state = flashedState ?? actions[String(action)] ?? (pending ? 'match_otp' : 'login')
    return renderPage(ctx, audience === 'staff' ? 'admin/login' : 'customer/login', {
      loginState: state,
      action: action ?? null,
      email: pending?.email ?? (session.flashMessages.get('email') as string | undefined) ?? '',
      userId: pending?.id ?? null,
      resendAt: pending?.resendAt ?? null,
      googleReason: isGoogleSignInConfigured()
        ? null
        : 'Google sign-in is not set up on this server.',
      csrfToken: ctx.request.csrfToken,
    })
  }

  async store(ctx: HttpContext) {
    const audience = audienceOf(ctx)
    const { email, password } = await signInValidator.validate(ctx.request.body())
    const takeBack = await consumeAttempt(ctx, 'password', audience, email)
    const person = await verifyCredentials(audience, email, password)
    if (!person) throw wrongCredentials()
    await takeBack()
    await signIn(ctx, person)
    await auditSessionEvent(ctx, 'person.sign_in', person)
    const to = takePathAfterSignIn(ctx, audience)
    respond(ctx, { message: `Welcome, ${person.name}.`, data: { to }, to })
  }
}

/** Null if there is none or it has expired. */
export function findPendingCode({ session }: HttpContext): PendingCode | null {
  const pending = session.get('pending') as PendingCode | undefined
  if (!pending) return null
  const sentAt = Date.parse(pending.resendAt) - ONE_TIME_CODE_LIMITS.resendSeconds * 1_000
  return Date.now() < sentAt + ONE_TIME_CODE_LIMITS.minutes * 60_000 ? pending : null
}
