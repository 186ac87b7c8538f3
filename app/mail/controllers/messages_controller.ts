import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { conflict } from '#core/app_error'
import { auditSender } from '#mail/actions/change_sender'
import { respondWithData, getUsableSender } from '#mail/controllers/controller_helpers'
import { ROWS_PER_PAGE } from '#mail/limits'
import { getSender } from '#mail/queries/senders'
import { callMailService } from '#mail/call_mail_service'
import { CHART_DAYS, mailUsageHistory } from '#mail/transformers/mail'
import { messageIdValidator, messageListValidator } from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

/** Staff can see the list, but not the text of a message. */
export default class MessagesController {
  async index(ctx: HttpContext) {
    const { id: senderId } = await getSender(ctx.actor, ctx.params.id)
    const { state, search, page = 1 } = await messageListValidator.validate(ctx.request.qs())
    const filter = { senderId, state, search: search || undefined }
    const range = { limit: ROWS_PER_PAGE, offset: (page - 1) * ROWS_PER_PAGE }
    const messages = await callMailService('messages', { ...filter, ...range })
    respondWithData(ctx, { ...messages, length: ROWS_PER_PAGE })
  }

  async show(ctx: HttpContext) {
    const { id: senderId } = await getSender(ctx.actor, ctx.params.id)
    const { message_id: id } = await messageIdValidator.validate(ctx.request.qs())
    const message = await callMailService('message', { senderId, id })
    const isStaff = ctx.actor.audience === 'staff'
    respondWithData(ctx, { message: isStaff ? { ...message, text: null, html: null } : message })
  }

  async usage(ctx: HttpContext) {
    const { id } = await getSender(ctx.actor, ctx.params.id)
    const today = DateTime.utc()
    const from = today.minus({ days: CHART_DAYS - 1 }).toISODate()
    const days = await callMailService('usage', { id, from, to: today.toISODate() })
    respondWithData(ctx, { usage: mailUsageHistory(days, today) })
  }

  async cancel(ctx: HttpContext) {
    const sender = await getSender(ctx.actor, ctx.request.input('id'))
    const { message_id: id } = await messageIdValidator.validate(ctx.request.body())
    const { cancelled } = await callMailService('cancelMessage', { senderId: sender.id, id })
    if (!cancelled)
      throw conflict(
        'This message is already being sent or was already sent, so it cannot be cancelled.'
      )
    await auditSender(sender, 'sender.message_cancel', requesterOf(ctx), { message: id })
    respond(ctx, { message: 'Message cancelled.' })
  }

  async retry(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const { message_id: id } = await messageIdValidator.validate(ctx.request.body())
    const { retried } = await callMailService('retryMessage', { senderId: sender.id, id })
    if (!retried) throw conflict('This message is not waiting, so it cannot be retried.')
    await auditSender(sender, 'sender.message_retry', requesterOf(ctx), { message: id })
    respond(ctx, { message: 'Sending the message now.' })
  }
}
