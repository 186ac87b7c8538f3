import { answer } from '#core/answers'
import { endSilence, findAlert, silence } from '#core/monitoring/silences'
import { silenceForm } from '#core/validators/alerts'
import type { HttpContext } from '@adonisjs/core/http'

/** What staff do about alerts. */
export default class AlertsController {
  /** `{ hours, reason }` */
  async silence(ctx: HttpContext) {
    const alert = await findAlert(ctx.params.id)
    await silence(alert, await silenceForm.validate(ctx.request.body()), ctx.actor!)
    return answer(ctx, { message: 'Alert silenced. No notifications until then.' })
  }

  async unsilence(ctx: HttpContext) {
    await endSilence(await findAlert(ctx.params.id), ctx.actor!)
    return answer(ctx, { message: 'Silence ended. Notifications are on again.' })
  }
}
