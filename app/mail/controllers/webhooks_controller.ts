import { respond } from '#core/action_response'
import { conflict } from '#core/app_error'
import { auditSender } from '#mail/actions/change_sender'
import { by, respondWithData, usableSender } from '#mail/controllers/mail_requests'
import { MAX_WEBHOOKS, PAGE_ROWS } from '#mail/limits'
import { findSender } from '#mail/queries/senders'
import { callMailService } from '#mail/service'
import { deliveryForm, webhookChangeForm, webhookForm, webhookIdForm } from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

/** Who is told what happens to mails of an address. */
export default class WebhooksController {
  async index(ctx: HttpContext) {
    const { id: senderId } = await findSender(ctx.actor!, ctx.params.id)
    respondWithData(ctx, { webhooks: await callMailService('webhooks', { senderId }) })
  }

  /** `?webhook_id&page` */
  async deliveries(ctx: HttpContext) {
    const { id: senderId } = await findSender(ctx.actor!, ctx.params.id)
    const { webhook_id: webhookId, page = 1 } = await webhookIdForm.validate(ctx.request.qs())
    const range = { limit: PAGE_ROWS, offset: (page - 1) * PAGE_ROWS }
    respondWithData(ctx, {
      ...(await callMailService('deliveries', { senderId, webhookId, ...range })),
      length: PAGE_ROWS,
    })
  }

  /** `{ id, url, events }`: the only time that its secret is told. */
  async store(ctx: HttpContext) {
    const sender = await usableSender(ctx)
    const { url, events } = await webhookForm.validate(ctx.request.body())
    const known = await callMailService('webhooks', { senderId: sender.id })
    if (known.length >= MAX_WEBHOOKS) {
      throw conflict(`An address has at most ${MAX_WEBHOOKS} webhooks.`)
    }
    const made = await callMailService('makeWebhook', { senderId: sender.id, url, events })
    await auditSender(sender, 'sender.webhook_store', by(ctx), { webhook: made.id, url, events })
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, { message: 'Webhook created.', status: 201, data: made })
  }

  /** `{ id, webhook_id, url?, events?, active? }`: what is left out stays. */
  async update(ctx: HttpContext) {
    const sender = await usableSender(ctx)
    const { webhook_id: id, ...change } = await webhookChangeForm.validate(ctx.request.body())
    await callMailService('changeWebhook', { senderId: sender.id, id, ...change })
    await auditSender(sender, 'sender.webhook_update', by(ctx), { webhook: id, ...change })
    respond(ctx, { message: 'Webhook changed.' })
  }

  /** `{ id, webhook_id }` */
  async destroy(ctx: HttpContext) {
    const sender = await findSender(ctx.actor!, ctx.request.input('id'))
    const { webhook_id: id } = await webhookIdForm.validate(ctx.request.body())
    await callMailService('removeWebhook', { senderId: sender.id, id })
    await auditSender(sender, 'sender.webhook_remove', by(ctx), { webhook: id })
    respond(ctx, { message: 'Webhook removed.' })
  }

  /** `{ id, webhook_id, delivery_id }` */
  async resend(ctx: HttpContext) {
    const sender = await usableSender(ctx)
    const sent = await deliveryForm.validate(ctx.request.body())
    const { webhook_id: webhookId, delivery_id: id } = sent
    await callMailService('resendDelivery', { senderId: sender.id, webhookId, id })
    await auditSender(sender, 'sender.webhook_resend', by(ctx), {
      webhook: webhookId,
      delivery: id,
    })
    respond(ctx, { message: 'Event sent again.' })
  }
}
