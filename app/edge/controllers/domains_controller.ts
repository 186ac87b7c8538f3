import { respond } from '#core/action_response'
import { invalid } from '#core/app_error'
import { requestDomainCheck } from '#edge/actions/request_domain_check'
import { saveDomains } from '#edge/actions/save_domains'
import { parseDomain } from '#edge/domain_names'
import { findReservedNameProblem } from '#edge/reserved_names'
import { domainListValidator, domainNameValidator } from '#edge/validators/domains'
import { assertAbilityIfStaff } from '#identity/public'
import { getInstance } from '#instances/public'
import type { HttpContext } from '@adonisjs/core/http'

export default class DomainsController {
  async show(ctx: HttpContext) {
    const { subdomain } = await ctx.request.validateUsing(domainNameValidator)
    const read = parseDomain(subdomain)
    if ('problem' in read) throw invalid({ subdomain: read.problem })
    const reserved = findReservedNameProblem(read.name)
    if (reserved) throw invalid({ subdomain: reserved })
    respond(ctx, { message: 'This is a valid domain name.', data: { subdomain: read.name } })
  }

  async update(ctx: HttpContext) {
    const actor = ctx.actor
    const instance = await getInstance(actor, ctx.request.input('id'))
    const { domains } = await ctx.request.validateUsing(domainListValidator)
    const names = domains.map(({ subdomain }) => subdomain)
    await saveDomains(actor, instance.id, names, ctx.request.ip())
    respond(ctx, { message: 'Domains saved.' })
  }

  async check(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'instances.change')
    const instance = await getInstance(actor, ctx.request.input('id'))
    const { subdomain } = await ctx.request.validateUsing(domainNameValidator)
    await requestDomainCheck(instance, subdomain)
    respond(ctx, { message: `${subdomain} is being checked.` })
  }
}
