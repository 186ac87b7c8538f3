import { respond } from '#core/action_response'
import { consumeAttempt } from '#identity/actions/attempt_limits'
import Person from '#identity/models/person'
import { emailValidator } from '#identity/validators/sign_in'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * Continues with `login` for an email address that can sign in with a password, and with `send_otp` for any other.
 * Work and message are the same in both cases, so the response reveals nothing more.
 */
export default class SignInMethodLookupController {
  async store(ctx: HttpContext) {
    const { email } = await ctx.request.validateUsing(emailValidator)
    await consumeAttempt(ctx, 'check', 'customer', email)
    const person = await Person.findByAddress('customer', email)
    const loginState = person?.password && !person.disabledAt ? 'login' : 'send_otp'
    ctx.session.flash({ loginState, email })
    respond(ctx, { message: 'Continue with this email.', data: { loginState }, to: '/login' })
  }
}
