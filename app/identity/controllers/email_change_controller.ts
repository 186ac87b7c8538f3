import { respond } from '#core/action_response'
import { consumeAttempt } from '#identity/actions/attempt_limits'
import { issueCode, type PendingCode, redeemCode } from '#identity/actions/one_time_code'
import { changeEmail, assertCurrentPassword } from '#identity/actions/profile'
import { codeNoLongerValid } from '#identity/errors'
import Person from '#identity/models/person'
import { emailChangeValidator } from '#identity/validators/profile'
import { otpValidator } from '#identity/validators/sign_in'
import type { HttpContext } from '@adonisjs/core/http'

/** Sends a code to the new email address. When the code is entered, changes the address. */
export default class EmailChangeController {
  async store(ctx: HttpContext) {
    const form = await emailChangeValidator.validate(ctx.request.body())
    const person = await Person.findOrFail(ctx.actor.id)
    const takeBack = await consumeAttempt(ctx, 'password', person.audience, person.email)
    await assertCurrentPassword(person, form.current_password)
    await takeBack()
    await consumeAttempt(ctx, 'mail', person.audience, form.email)
    const { audience, id: personId } = person
    const pending = await issueCode({ audience, purpose: 'address', email: form.email, personId })
    ctx.session.put('pendingAddress', pending)
    respond(ctx, { message: `We sent an OTP to ${form.email}.` })
  }

  async update(ctx: HttpContext) {
    const { otp } = await otpValidator.validate(ctx.request.body())
    const pending = ctx.session.get('pendingAddress') as PendingCode | undefined
    if (!pending) throw codeNoLongerValid()
    const person = await Person.findOrFail(ctx.actor.id)
    const takeBack = await consumeAttempt(ctx, 'code', person.audience, pending.email)
    const { email, personId } = await redeemCode(pending.id, 'address', otp)
    await takeBack()
    ctx.session.forget('pendingAddress')
    if (personId !== person.id) throw codeNoLongerValid()
    await changeEmail(person, email, { ip: ctx.request.ip(), keepDevice: ctx.deviceId })
    respond(ctx, { message: 'Email changed. All other browsers are signed out.' })
  }

  async destroy(ctx: HttpContext) {
    ctx.session.forget('pendingAddress')
    respond(ctx, { message: 'Your email was not changed.' })
  }
}
