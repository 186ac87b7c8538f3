import { respond } from '#core/action_response'
import { consumeAttempt } from '#identity/actions/attempt_limits'
import { setPassword } from '#identity/actions/passwords'
import { assertCurrentPassword } from '#identity/actions/profile'
import Person from '#identity/models/person'
import { passwordChangeValidator } from '#identity/validators/profile'
import type { HttpContext } from '@adonisjs/core/http'

export default class PasswordController {
  async update(ctx: HttpContext) {
    const form = await passwordChangeValidator.validate(ctx.request.body())
    const person = await Person.findOrFail(ctx.actor.id)
    const takeBack = await consumeAttempt(ctx, 'password', person.audience, person.email)
    await assertCurrentPassword(person, form.current_password)
    await takeBack()
    const ip = ctx.request.ip()
    await setPassword(person, form.password, { ip, keepDevice: ctx.deviceId })
    respond(ctx, { message: 'Password changed. All other browsers are signed out.' })
  }
}
