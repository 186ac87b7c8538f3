import { respond } from '#core/action_response'
import { signIn } from '#identity/actions/devices'
import { countTry } from '#identity/actions/limits'
import { redeemCode } from '#identity/actions/one_time_code'
import { choosePassword } from '#identity/actions/passwords'
import { provenCustomer } from '#identity/actions/proven_customer'
import { pendingCode } from '#identity/controllers/login_controller'
import { audienceOf, auditVisit, pathAfterSignIn } from '#identity/controllers/visitor'
import { deadCode, disabled } from '#identity/errors'
import Person from '#identity/models/person'
import { codeForm } from '#identity/validators/sign_in'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * Takes the code and the new password. Whose it is comes from the pending sign-up in the session;
 * the email and user_id that are sent along are not looked at.
 */
export default class MatchOtpController {
  async store(ctx: HttpContext) {
    const audience = audienceOf(ctx)
    const form = await ctx.request.validateUsing(codeForm)
    const pending = pendingCode(ctx)
    if (!pending) throw deadCode()
    const takeBack = await countTry(ctx, 'code', audience, pending.email)
    const purpose = audience === 'staff' ? 'staff_password' : 'sign_up'
    const { email } = await redeemCode(pending.id, purpose, form.otp)
    await takeBack()
    ctx.session.forget('pending')
    const ip = ctx.request.ip()
    const person =
      audience === 'staff'
        ? await Person.findByAddress('staff', email)
        : await provenCustomer(email, { ip, way: 'code' })
    if (!person) throw deadCode()
    if (person.disabledAt) throw disabled()
    // Who is new has nothing on a page that was asked for before, unless they were invited.
    const isNew = audience === 'customer' && !person.password
    await choosePassword(person, form.password, { ip })
    await signIn(ctx, person)
    await auditVisit(ctx, 'person.sign_in', person)
    const asked = pathAfterSignIn(ctx, audience)
    const to = isNew && !asked.startsWith('/invitation/') ? '/' : asked
    respond(ctx, { message: `Welcome, ${person.name}.`, data: { to }, to })
  }
}
