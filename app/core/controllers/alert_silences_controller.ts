import { respond } from '#core/action_response'
import { endSilence, getAlert, silenceAlert } from '#core/monitoring/silences'
import { alertSilenceValidator } from '#core/validators/alerts'
import type { HttpContext } from '@adonisjs/core/http'

export default class AlertsController {
  async silence(ctx: HttpContext) {
    const alert = await getAlert(ctx.params.id)
    await silenceAlert(alert, await alertSilenceValidator.validate(ctx.request.body()), ctx.actor)
    return respond(ctx, {
      message: 'Alert silenced. Berth sends no reminders until the silence ends.',
    })
  }

  async unsilence(ctx: HttpContext) {
    await endSilence(await getAlert(ctx.params.id), ctx.actor)
    return respond(ctx, { message: 'Silence ended. Berth notifies the recipients again.' })
  }
}
