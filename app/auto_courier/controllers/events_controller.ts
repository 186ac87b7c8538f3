import { courierEventStates } from '#auto_courier/event_states'
import { resendCourierEvent } from '#auto_courier/outgoing_events'
import { listCourierEvents, courierEventListDefinition } from '#auto_courier/queries/events'
import {
  SECRET_OVERLAP_HOURS,
  rotateCourierSecret,
  loadCourierSecretDates,
} from '#auto_courier/secrets'
import {
  autoCourierWebhookUrlValidator,
  courierEventIdValidator,
  courierSecretRotationValidator,
} from '#auto_courier/validators/bills_and_payments'
import { loadCourierWebhookUrl, saveCourierWebhookUrl } from '#auto_courier/webhook_url_setting'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import type { HttpContext } from '@adonisjs/core/http'

export default class EventsController {
  async index(ctx: HttpContext) {
    return renderPage(ctx, 'admin/autocourier_billing/events', {
      ...(await listCourierEvents(parseListRequest(ctx, courierEventListDefinition))),
      eventStates: courierEventStates,
      url: await loadCourierWebhookUrl(),
      secret: await loadCourierSecretDates(),
      overlapHours: SECRET_OVERLAP_HOURS,
    })
  }

  async sendAgain(ctx: HttpContext) {
    const { id } = await courierEventIdValidator.validate(ctx.request.body())
    await resendCourierEvent(id, requesterOf(ctx))
    respond(ctx, { message: 'Decision sent again.' })
  }

  /** Only this response contains the new secret. */
  async secret(ctx: HttpContext) {
    const { at_once: atOnce } = await courierSecretRotationValidator.validate(ctx.request.body())
    const secret = await rotateCourierSecret(requesterOf(ctx), atOnce)
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, { message: 'Shared secret created.', data: { secret } })
  }

  /** `null` removes the URL. */
  async address(ctx: HttpContext) {
    const { url } = await autoCourierWebhookUrlValidator.validate(ctx.request.body())
    await saveCourierWebhookUrl(url, requesterOf(ctx))
    respond(ctx, { message: 'Webhook address saved.' })
  }
}
