import { parseDomain } from '#edge/public'
import { requesterOf } from '#core/contracts/actor'
import { invalid } from '#core/app_error'
import { respond } from '#core/action_response'
import { isPageVisit } from '#core/request_kind'
import { renderPage } from '#core/render_page'
import {
  refreshMailDomainStatus,
  deleteMailDomain,
  createMailDomain,
  createNextSigningKey,
  switchSigningKey,
} from '#mail/actions/mail_domains'
import { SERVICE_DOWN_MESSAGE } from '#mail/errors'
import { getMailDomain } from '#mail/queries/senders'
import { callMailServiceIfAvailable } from '#mail/call_mail_service'
import { domainRow, dnsRecordViews } from '#mail/transformers/mail'
import { mailDomainValidator } from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

const MAIL_DOMAINS_PAGE = '/email/list?tab=domains'

export default class MailDomainsController {
  async show(ctx: HttpContext) {
    const domain = await getMailDomain(ctx.actor, ctx.params.id)
    const info = await callMailServiceIfAvailable('domain', { id: domain.id })
    return renderPage(ctx, 'customer/email/domain', {
      domain: domainRow(domain),
      records: info ? dnsRecordViews(info, domain) : [],
      keys: info?.keys ?? [],
      problem: info ? null : SERVICE_DOWN_MESSAGE,
    })
  }

  async store(ctx: HttpContext) {
    const read = parseDomain((await mailDomainValidator.validate(ctx.request.body())).domain)
    if ('problem' in read) throw invalid({ domain: read.problem })
    const { name: domain } = read
    const mailDomain = await createMailDomain(ctx.actor, domain, ctx.request.ip())
    respond(ctx, {
      message: `${domain} added. Publish its DNS records now.`,
      status: 201,
      data: { id: mailDomain.id, domain },
      to: isPageVisit(ctx) ? `/email/domain/${mailDomain.id}` : undefined,
    })
  }

  async check(ctx: HttpContext) {
    const domain = await getMailDomain(ctx.actor, ctx.request.input('id'))
    const { status } = await refreshMailDomainStatus(domain, requesterOf(ctx))
    respond(ctx, {
      message:
        status === 'active'
          ? `The records of ${domain.domain} are correct.`
          : 'Some records are still missing or wrong. DNS changes can take a few hours.',
      data: { status },
    })
  }

  async rotate(ctx: HttpContext) {
    const domain = await getMailDomain(ctx.actor, ctx.request.input('id'))
    await createNextSigningKey(domain, requesterOf(ctx))
    respond(ctx, { message: 'Second signing key created. Publish its record, then switch to it.' })
  }

  async switchKey(ctx: HttpContext) {
    const domain = await getMailDomain(ctx.actor, ctx.request.input('id'))
    await switchSigningKey(domain, requesterOf(ctx))
    respond(ctx, {
      message:
        'Emails are now signed with the new key. Keep the DNS record of the old key for one week.',
    })
  }

  async destroy(ctx: HttpContext) {
    const { id, domain: typed } = ctx.request.body()
    const domain = await getMailDomain(ctx.actor, id)
    await deleteMailDomain(domain, typed, requesterOf(ctx))
    respond(ctx, {
      message: `${domain.domain} is deleted.`,
      to: isPageVisit(ctx) ? MAIL_DOMAINS_PAGE : undefined,
    })
  }
}
