import { respond } from '#core/action_response'
import { isPageVisit } from '#core/request_kind'
import { accountIdOf, type Actor, requesterOf } from '#core/contracts/actor'
import { queryListPage, parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { mailApiUrl } from '#mail/mail_api_url'
import {
  changeSenderSettings,
  deleteSender,
  auditSender,
  rotateSenderSecret,
} from '#mail/actions/change_sender'
import { createSender, resendVerificationLink } from '#mail/actions/create_sender'
import { sendTestMail } from '#mail/actions/send_test_mail'
import { getUsableSender } from '#mail/controllers/controller_helpers'
import {
  SERVICE_DOWN_MESSAGE,
  TOO_MANY_SENDERS_MESSAGE,
  TOO_MANY_DOMAINS_MESSAGE,
} from '#mail/errors'
import { MAX_DOMAINS, MAX_SENDERS } from '#mail/limits'
import MailDomain from '#mail/models/mail_domain'
import type Sender from '#mail/models/sender'
import { mailDomainListDefinition, senderListDefinition } from '#mail/queries/sender_list'
import {
  countMailDomainsOfAccount,
  countSendersOfAccount,
  mailDomainsVisibleTo,
  getSender,
  sendersVisibleTo,
} from '#mail/queries/senders'
import { callMailServiceIfAvailable } from '#mail/call_mail_service'
import { findSenderProblem } from '#mail/states/sender'
import { senderStatuses, mailDomainStatuses, webhookEvents, messageStates } from '#mail/statuses'
import { domainRow, senderUsage, senderRow } from '#mail/transformers/mail'
import type { SendingEndpoints } from '#mail/transformers/page_props'
import {
  secretRotationValidator,
  senderSettingsValidator,
  createSenderValidator,
} from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

const SENDERS_PAGE = '/email/list'

export default class SendersController {
  async index(ctx: HttpContext) {
    const actor = ctx.actor
    const account = await loadSendingAccount(actor)
    if (ctx.request.qs().tab === 'domains') return this.#domains(ctx, account)
    const list = parseListRequest(ctx, senderListDefinition)
    const { rows, ...facts } = await queryListPage<Sender>(
      sendersVisibleTo(actor),
      list,
      senderListDefinition
    )
    const isFull = (await countSendersOfAccount(accountIdOf(actor))) >= MAX_SENDERS
    return renderPage(ctx, 'customer/email/list', {
      ...facts,
      ...account,
      tab: 'addresses',
      emails: rows.map(senderRow),
      emailStatus: senderStatuses,
      full: isFull ? TOO_MANY_SENDERS_MESSAGE : null,
    })
  }

  async #domains(ctx: HttpContext, account: SendingEndpoints) {
    const actor = ctx.actor
    const list = parseListRequest(ctx, mailDomainListDefinition)
    const { rows, ...facts } = await queryListPage<MailDomain>(
      mailDomainsVisibleTo(actor),
      list,
      mailDomainListDefinition
    )
    const isFull = (await countMailDomainsOfAccount(accountIdOf(actor))) >= MAX_DOMAINS
    return renderPage(ctx, 'customer/email/list', {
      ...facts,
      ...account,
      tab: 'domains',
      domains: rows.map(domainRow),
      domainStatus: mailDomainStatuses,
      full: isFull ? TOO_MANY_DOMAINS_MESSAGE : null,
    })
  }

  async show(ctx: HttpContext) {
    const sender = await getSender(ctx.actor, ctx.params.id)
    const [account, infos, domain] = await Promise.all([
      loadSendingAccount(ctx.actor),
      sender.secretKey ? callMailServiceIfAvailable('senders', { ids: [sender.id] }) : [],
      MailDomain.live().where({ accountId: sender.accountId, domain: sender.domain }).first(),
    ])
    return renderPage(ctx, 'customer/email/details', {
      ...account,
      email: {
        ...senderRow(sender),
        verified_at: sender.verifiedAt?.toISO() ?? null,
        link_sent_at: sender.linkSentAt?.toISO() ?? null,
      },
      facts: infos?.[0] ? senderUsage(infos[0]) : null,
      barred: findSenderProblem(sender),
      problem: infos === null ? SERVICE_DOWN_MESSAGE : null,
      domain: domain && { id: domain.id, domain: domain.domain, status: domain.status },
      messageStates,
      mailEvents: webhookEvents,
      own: ctx.actor.email,
    })
  }

  async store(ctx: HttpContext) {
    const { email } = await createSenderValidator.validate(ctx.request.body())
    const sender = await createSender(ctx.actor, email, ctx.request.ip())
    respond(ctx, {
      message:
        sender.status === 'verified'
          ? `${email} is verified, because its domain is verified.`
          : `Open the link that we sent to ${email}. The link works for 24 hours.`,
      status: 201,
      data: { id: sender.id, email, status: sender.status },
      to: isPageVisit(ctx) ? SENDERS_PAGE : undefined,
    })
  }

  async sendLink(ctx: HttpContext) {
    const sender = await getSender(ctx.actor, ctx.request.input('id'))
    await resendVerificationLink(sender, requesterOf(ctx))
    respond(ctx, { message: `New verification link sent to ${sender.email}.` })
  }

  async secret(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    await auditSender(sender, 'sender.secret', requesterOf(ctx))
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, {
      message: 'Secret key',
      data: { access_key_id: sender.accountId, secret_key: sender.secretKey },
    })
  }

  async rotateSecret(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const { overlap } = await secretRotationValidator.validate(ctx.request.body())
    const secret = await rotateSenderSecret(sender, overlap, requesterOf(ctx))
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, {
      message: 'Secret key changed.',
      data: { access_key_id: sender.accountId, secret_key: secret },
    })
  }

  async update(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    const { track_opens: trackOpens } = await senderSettingsValidator.validate(ctx.request.body())
    await changeSenderSettings(sender, trackOpens, requesterOf(ctx))
    respond(ctx, { message: 'Settings saved.' })
  }

  async test(ctx: HttpContext) {
    const sender = await getUsableSender(ctx)
    await sendTestMail(sender, requesterOf(ctx))
    respond(ctx, { message: `Test email sent to ${ctx.actor.email}.` })
  }

  async destroy(ctx: HttpContext) {
    const { id, email } = ctx.request.body()
    const sender = await getSender(ctx.actor, id)
    await deleteSender(sender, email, requesterOf(ctx))
    respond(ctx, {
      message: `${sender.email} is deleted.`,
      to: isPageVisit(ctx) ? SENDERS_PAGE : undefined,
    })
  }
}

async function loadSendingAccount(actor: Actor): Promise<SendingEndpoints> {
  const ways = await callMailServiceIfAvailable('ways', {})
  const accessKeyId = accountIdOf(actor)
  return { mailHost: mailApiUrl, accessKeyId, submission: ways?.submission ?? null }
}
