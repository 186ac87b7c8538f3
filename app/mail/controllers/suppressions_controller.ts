import { respond } from '#core/action_response'
import { auditSender } from '#mail/actions/change_sender'
import { by, respondWithData, usableSender } from '#mail/controllers/mail_requests'
import { PAGE_ROWS } from '#mail/limits'
import { findSender } from '#mail/queries/senders'
import { callMailService } from '#mail/service'
import { pageQuery, recipientForm, suppressionForm } from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

/** Recipients that get nothing more from an address. */
export default class SuppressionsController {
  async index(ctx: HttpContext) {
    const { id: senderId } = await findSender(ctx.actor!, ctx.params.id)
    const { search, page = 1 } = await pageQuery.validate(ctx.request.qs())
    const range = { limit: PAGE_ROWS, offset: (page - 1) * PAGE_ROWS }
    const asked = { senderId, search: search || undefined, ...range }
    respondWithData(ctx, { ...(await callMailService('suppressions', asked)), length: PAGE_ROWS })
  }

  /** `{ id, recipient, detail? }` */
  async store(ctx: HttpContext) {
    const sender = await usableSender(ctx)
    const { recipient, detail = '' } = await suppressionForm.validate(ctx.request.body())
    await callMailService('suppress', { senderId: sender.id, recipient, detail })
    await auditSender(sender, 'sender.suppress', by(ctx), { recipient })
    respond(ctx, { message: `${recipient} gets no more emails from ${sender.email}.` })
  }

  /** `{ id, recipient }` */
  async destroy(ctx: HttpContext) {
    const sender = await usableSender(ctx)
    const { recipient } = await recipientForm.validate(ctx.request.body())
    await callMailService('unsuppress', { senderId: sender.id, recipient })
    await auditSender(sender, 'sender.unsuppress', by(ctx), { recipient })
    respond(ctx, { message: `${recipient} removed from the suppression list.` })
  }
}
