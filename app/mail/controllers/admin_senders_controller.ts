import { loadCustomersById } from '#accounts/public'
import { respond } from '#core/action_response'
import { listPage, listRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import {
  changeSenderLimit,
  deleteSender,
  resumeSender,
  suspendSender,
} from '#mail/actions/change_sender'
import { by, usableSender } from '#mail/controllers/mail_requests'
import { SERVICE_DOWN_MESSAGE } from '#mail/errors'
import type Sender from '#mail/models/sender'
import { adminSenderList } from '#mail/queries/sender_list'
import { findSender, sendersVisibleTo } from '#mail/queries/senders'
import { callMailServiceIfAvailable } from '#mail/service'
import { emailStatuses, messageStates } from '#mail/statuses'
import { adminEmailRow, emailFacts } from '#mail/transformers/mail'
import { limitForm, suspensionForm } from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

/** Everybody's addresses: read by all staff, suspended and deleted by administrators. */
export default class AdminSendersController {
  async index(ctx: HttpContext) {
    const asked = listRequest(ctx, adminSenderList)
    const found = await listPage<Sender>(sendersVisibleTo(ctx.actor!), asked, adminSenderList)
    const { rows, ...facts } = found
    const customers = await loadCustomersById(rows.map(({ accountId }) => accountId))
    return renderPage(ctx, 'admin/email/list', {
      ...facts,
      emails: rows.map((row) => adminEmailRow(row, customers.get(row.accountId))),
      emailStatus: emailStatuses,
    })
  }

  async show(ctx: HttpContext) {
    const sender = await findSender(ctx.actor!, ctx.params.id)
    const [infos, customers] = await Promise.all([
      sender.secretKey ? callMailServiceIfAvailable('senders', { ids: [sender.id] }) : [],
      loadCustomersById([sender.accountId]),
    ])
    return renderPage(ctx, 'admin/email/details', {
      email: {
        ...adminEmailRow(sender, customers.get(sender.accountId)),
        verified_at: sender.verifiedAt?.toISO() ?? null,
        verified_by: sender.verifiedBy,
      },
      facts: infos?.[0] ? emailFacts(infos[0]) : null,
      problem: infos === null ? SERVICE_DOWN_MESSAGE : null,
      messageStates,
    })
  }

  /** `{ id, reason }` */
  async suspend(ctx: HttpContext) {
    const sender = await findSender(ctx.actor!, ctx.request.input('id'))
    const { reason } = await suspensionForm.validate(ctx.request.body())
    await suspendSender(sender, reason, by(ctx))
    respond(ctx, { message: `${sender.email} is suspended.` })
  }

  /** `{ id }` */
  async resume(ctx: HttpContext) {
    const sender = await findSender(ctx.actor!, ctx.request.input('id'))
    await resumeSender(sender, by(ctx))
    respond(ctx, { message: `${sender.email} is active again.` })
  }

  /** `{ id, hourly_limit }` */
  async limit(ctx: HttpContext) {
    const sender = await usableSender(ctx)
    const { hourly_limit: limit } = await limitForm.validate(ctx.request.body())
    await changeSenderLimit(sender, limit, by(ctx))
    respond(ctx, { message: `${sender.email} can now send ${limit} emails per hour.` })
  }

  /** `{ id, email }`, the address typed. */
  async destroy(ctx: HttpContext) {
    const { id, email } = ctx.request.body()
    const sender = await findSender(ctx.actor!, id)
    await deleteSender(sender, email, by(ctx))
    respond(ctx, { message: `${sender.email} is deleted.` })
  }
}
