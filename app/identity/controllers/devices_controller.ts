import { respond } from '#core/action_response'
import { notFound } from '#core/app_error'
import { accessTopic, publish } from '#core/live/live_events'
import { signOut, signOutEverywhere } from '#identity/actions/sign_in_and_out'
import { audienceOf, auditSessionEvent, loginPath } from '#identity/controllers/sign_in_helpers'
import Device from '#identity/models/device'
import { deviceIdValidator } from '#identity/validators/profile'
import type { HttpContext } from '@adonisjs/core/http'

export default class DevicesController {
  async destroy(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(deviceIdValidator)
    const personId = ctx.actor.id
    const gone = await Device.query().where({ id, personId }).delete()
    if (Number(gone) === 0) throw notFound('browser')
    await publish(accessTopic(personId))
    await auditSessionEvent(ctx, 'person.end_session', ctx.actor)
    respond(ctx, { message: 'That browser is signed out.' })
  }

  async destroyAll(ctx: HttpContext) {
    const actor = ctx.actor
    await signOutEverywhere(actor.id)
    await auditSessionEvent(ctx, 'person.sign_out_everywhere', actor)
    await signOut(ctx)
    respond(ctx, { message: 'You are signed out everywhere.', to: loginPath(audienceOf(ctx)) })
  }
}
