import { loadCustomersById } from '#accounts/public'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { queryListPage, parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import {
  changeSenderLimit,
  deleteSender,
  resumeSender,
  suspendSender,
} from '#mail/actions/change_sender'
import { getUsableSender } from '#mail/controllers/controller_helpers'
import { SERVICE_DOWN_MESSAGE } from '#mail/errors'
import type Sender from '#mail/models/sender'
import { adminSenderListDefinition } from '#mail/queries/sender_list'
import { getSender, sendersVisibleTo } from '#mail/queries/senders'
import { callMailServiceIfAvailable } from '#mail/call_mail_service'
import { senderStatuses, messageStates } from '#mail/statuses'
import { adminSenderRow, senderUsage } from '#mail/transformers/mail'
import { hourlyLimitValidator, suspensionValidator } from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

export default class AdminSendersController {
  async index(ctx: HttpContext) {
    const list = parseListRequest(ctx, adminSenderListDefinition)
    const page = await queryListPage<Sender>(
      sendersVisibleTo(ctx.actor),
      list,
      adminSenderListDefinition
    )
    const { rows, ...facts } = page
    const customers = await loadCustomersById(rows.map(({ accountId }) => accountId))
    return renderPage(ctx, 'admin/email/list', {
      ...facts,
      emails: rows.map((row) => adminSenderRow(row, customers.get(row.accountId))),
      emailStatus: senderStatuses,
    })
  }

  async show(ctx: HttpContext) {
    const sender = await getSender(ctx.actor, ctx.params.id)
    const [infos, customers] = await Promise.all([
      sender.secretKey ? callMailServiceIfAvailable('senders', { ids: [sender.id] }) : [],
      loadCustomersById([sender.accountId]),
    ])
    return renderPage(ctx, 'admin/email/details', {
      email: {
        ...adminSenderRow(sender, customers.get(sender.accountId)),
        verified_at: sender.verifiedAt?.toISO() ?? null,
        verified_by: sender.verifiedBy,
      },
      facts: infos?.[0] ? senderUsage(infos[0]) : null,
      problem: infos === null ? SERVICE_DOWN_MESSAGE : null,
      messageStates,
    })
  }

  async suspend(ctx: HttpContext) {
    const sender = await getSender(ctx.actor, ctx.request.input('id'))
    const { reason } = await suspensionValidator.validate(ctx.request.body())
    await suspendSender(sender, reason, requesterOf(ctx))
    respond(ctx, { message: `${sender.email} is suspended.` })
  }

  async resume(ctx: HttpContext) {
    const sender = await getSender(ctx.actor, ctx.request.input('id'))
    await resumeSender(sender, requesterOf(ctx))
    respond(ctx, { message: `${sender.email} is active again.` })
  }

  async limit(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const { hourly_limit: limit } = await hourlyLimitValidator.validate(ctx.request.body())
    await changeSenderLimit(sender, limit, requesterOf(ctx))
    respond(ctx, { message: `${sender.email} can now send ${limit} emails per hour.` })
  }

  async destroy(ctx: HttpContext) {
    const { id, email } = ctx.request.body()
    const sender = await getSender(ctx.actor, id)
    await deleteSender(sender, email, requesterOf(ctx))
    respond(ctx, { message: `${sender.email} is deleted.` })
  }
}
