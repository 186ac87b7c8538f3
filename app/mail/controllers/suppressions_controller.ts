import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { auditSender } from '#mail/actions/change_sender'
import { respondWithData, getUsableSender } from '#mail/controllers/controller_helpers'
import { ROWS_PER_PAGE } from '#mail/limits'
import { getSender } from '#mail/queries/senders'
import { callMailService } from '#mail/call_mail_service'
import {
  suppressionListValidator,
  recipientValidator,
  suppressionValidator,
} from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

/** A suppression prevents emails from one sender address to one recipient. */
export default class SuppressionsController {
  async index(ctx: HttpContext) {
    const { id: senderId } = await getSender(ctx.actor, ctx.params.id)
    const { search, page = 1 } = await suppressionListValidator.validate(ctx.request.qs())
    const range = { limit: ROWS_PER_PAGE, offset: (page - 1) * ROWS_PER_PAGE }
    const filter = { senderId, search: search || undefined, ...range }
    respondWithData(ctx, {
      ...(await callMailService('suppressions', filter)),
      length: ROWS_PER_PAGE,
    })
  }

  async store(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const { recipient, detail = '' } = await suppressionValidator.validate(ctx.request.body())
    await callMailService('suppress', { senderId: sender.id, recipient, detail })
    await auditSender(sender, 'sender.suppress', requesterOf(ctx), { recipient })
    respond(ctx, { message: `${recipient} gets no more emails from ${sender.email}.` })
  }

  async destroy(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const { recipient } = await recipientValidator.validate(ctx.request.body())
    await callMailService('unsuppress', { senderId: sender.id, recipient })
    await auditSender(sender, 'sender.unsuppress', requesterOf(ctx), { recipient })
    respond(ctx, { message: `${recipient} removed from the suppression list.` })
  }
}
