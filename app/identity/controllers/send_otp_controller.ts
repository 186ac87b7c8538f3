import { respond } from '#core/action_response'
import { consumeAttempt } from '#identity/actions/attempt_limits'
import { issueCode } from '#identity/actions/one_time_code'
import { audienceOf, loginPath } from '#identity/controllers/sign_in_helpers'
import Person from '#identity/models/person'
import { emailValidator } from '#identity/validators/sign_in'
import type { HttpContext } from '@adonisjs/core/http'

/** Customers may be new, staff must exist. The response does not depend on whether they do. */
export default class SendOtpController {
  async store(ctx: HttpContext) {
    const audience = audienceOf(ctx)
    const { email } = await ctx.request.validateUsing(emailValidator)
    await consumeAttempt(ctx, 'mail', audience, email)
    const person = await Person.findByAddress(audience, email)
    const pending = await issueCode({
      audience,
      purpose: audience === 'staff' ? 'staff_password' : 'sign_up',
      email,
      deliver: audience === 'customer' || Boolean(person && !person.disabledAt),
    })
    ctx.session.put('pending', pending)
    respond(ctx, {
      message:
        audience === 'customer'
          ? `We sent an OTP to ${email}.`
          : `If ${email} belongs to staff, we sent an OTP to it.`,
      data: { loginState: 'match_otp', user_id: pending.id, resend_at: pending.resendAt },
      to: loginPath(audience),
    })
  }
}
