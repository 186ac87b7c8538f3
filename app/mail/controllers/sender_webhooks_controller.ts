import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { conflict } from '#core/app_error'
import { auditSender } from '#mail/actions/change_sender'
import { respondWithData, getUsableSender } from '#mail/controllers/controller_helpers'
import { MAX_WEBHOOKS_PER_SENDER, ROWS_PER_PAGE } from '#mail/limits'
import { getSender } from '#mail/queries/senders'
import { callMailService } from '#mail/call_mail_service'
import {
  webhookDeliveryIdValidator,
  webhookUpdateValidator,
  webhookValidator,
  webhookIdValidator,
} from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

export default class SenderWebhooksController {
  async index(ctx: HttpContext) {
    const { id: senderId } = await getSender(ctx.actor, ctx.params.id)
    respondWithData(ctx, { webhooks: await callMailService('webhooks', { senderId }) })
  }

  async deliveries(ctx: HttpContext) {
    const { id: senderId } = await getSender(ctx.actor, ctx.params.id)
    const { webhook_id: webhookId, page = 1 } = await webhookIdValidator.validate(ctx.request.qs())
    const range = { limit: ROWS_PER_PAGE, offset: (page - 1) * ROWS_PER_PAGE }
    respondWithData(ctx, {
      ...(await callMailService('deliveries', { senderId, webhookId, ...range })),
      length: ROWS_PER_PAGE,
    })
  }

  /** Only this response contains the webhook's secret. */
  async store(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const { url, events } = await webhookValidator.validate(ctx.request.body())
    const known = await callMailService('webhooks', { senderId: sender.id })
    if (known.length >= MAX_WEBHOOKS_PER_SENDER) {
      throw conflict(`An address has at most ${MAX_WEBHOOKS_PER_SENDER} webhooks.`)
    }
    const webhook = await callMailService('makeWebhook', { senderId: sender.id, url, events })
    await auditSender(sender, 'sender.webhook_store', requesterOf(ctx), {
      webhook: webhook.id,
      url,
      events,
    })
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, { message: 'Webhook created.', status: 201, data: webhook })
  }

  async update(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const { webhook_id: id, ...change } = await webhookUpdateValidator.validate(ctx.request.body())
    await callMailService('changeWebhook', { senderId: sender.id, id, ...change })
    await auditSender(sender, 'sender.webhook_update', requesterOf(ctx), { webhook: id, ...change })
    respond(ctx, { message: 'Webhook changed.' })
  }

  async destroy(ctx: HttpContext) {
    const sender = await getSender(ctx.actor, ctx.request.input('id'))
    const { webhook_id: id } = await webhookIdValidator.validate(ctx.request.body())
    await callMailService('removeWebhook', { senderId: sender.id, id })
    await auditSender(sender, 'sender.webhook_remove', requesterOf(ctx), { webhook: id })
    respond(ctx, { message: 'Webhook removed.' })
  }

  async resend(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const sent = await webhookDeliveryIdValidator.validate(ctx.request.body())
    const { webhook_id: webhookId, delivery_id: id } = sent
    await callMailService('resendDelivery', { senderId: sender.id, webhookId, id })
    await auditSender(sender, 'sender.webhook_resend', requesterOf(ctx), {
      webhook: webhookId,
      delivery: id,
    })
    respond(ctx, { message: 'Event sent again.' })
  }
}
