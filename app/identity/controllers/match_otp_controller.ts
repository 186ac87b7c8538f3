import { respond } from '#core/action_response'
import { signIn } from '#identity/actions/sign_in_and_out'
import { consumeAttempt } from '#identity/actions/attempt_limits'
import { redeemCode } from '#identity/actions/one_time_code'
import { setPassword } from '#identity/actions/passwords'
import { findOrCreateCustomer } from '#identity/actions/find_or_create_customer'
import { findPendingCode } from '#identity/controllers/login_controller'
import {
  audienceOf,
  auditSessionEvent,
  takePathAfterSignIn,
} from '#identity/controllers/sign_in_helpers'
import { codeNoLongerValid, personDisabled } from '#identity/errors'
import Person from '#identity/models/person'
import { otpAndPasswordValidator } from '#identity/validators/sign_in'
import type { HttpContext } from '@adonisjs/core/http'

/** The email address comes from the pending code in the session. The submitted email and user_id are ignored. */
export default class MatchOtpController {
  async store(ctx: HttpContext) {
    const audience = audienceOf(ctx)
    const form = await otpAndPasswordValidator.validate(ctx.request.body())
    const pending = findPendingCode(ctx)
    if (!pending) throw codeNoLongerValid()
    const takeBack = await consumeAttempt(ctx, 'code', audience, pending.email)
    const purpose = audience === 'staff' ? 'staff_password' : 'sign_up'
    const { email } = await redeemCode(pending.id, purpose, form.otp)
    await takeBack()
    ctx.session.forget('pending')
    const ip = ctx.request.ip()
    const person =
      audience === 'staff'
        ? await Person.findByAddress('staff', email)
        : await findOrCreateCustomer(email, { ip, way: 'code' })
    if (!person) throw codeNoLongerValid()
    if (person.disabledAt) throw personDisabled()
    // To a new customer, the page requested before the sign-up would be empty, unless it is an invitation.
    const isNew = audience === 'customer' && !person.password
    await setPassword(person, form.password, { ip })
    await signIn(ctx, person)
    await auditSessionEvent(ctx, 'person.sign_in', person)
    const nextPath = takePathAfterSignIn(ctx, audience)
    const to = isNew && !nextPath.startsWith('/invitation/') ? '/' : nextPath
    respond(ctx, { message: `Welcome, ${person.name}.`, data: { to }, to })
  }
}
