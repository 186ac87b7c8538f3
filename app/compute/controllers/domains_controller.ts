import { checkDomain } from '#compute/actions/check_domain'
import { readDomain } from '#compute/edge/names'
import { reservedProblem } from '#compute/edge/reserved'
import { demandOfStaff } from '#identity/public'
import { findInstance } from '#compute/queries/instances'
import { domainNameValidator } from '#compute/validators/instances'
import { answer } from '#core/answers'
import { invalid } from '#core/refusal'
import type { HttpContext } from '@adonisjs/core/http'

/** The domains of an instance, one by one. */
export default class DomainsController {
  /** `GET /server-instance/domain/name`: a typed name as it is kept, or what is wrong with it. */
  async show(ctx: HttpContext) {
    const { subdomain } = await ctx.request.validateUsing(domainNameValidator)
    const read = readDomain(subdomain)
    if ('problem' in read) throw invalid({ subdomain: read.problem })
    const reserved = reservedProblem(read.name)
    if (reserved) throw invalid({ subdomain: reserved })
    answer(ctx, { message: 'This is a domain name.', data: { subdomain: read.name } })
  }

  /** `POST …/domain/check`: it is looked at now instead of at its own time. */
  async check(ctx: HttpContext) {
    const actor = ctx.actor!
    demandOfStaff(actor, 'instances.change')
    const instance = await findInstance(actor, ctx.request.input('id'))
    const { subdomain } = await ctx.request.validateUsing(domainNameValidator)
    await checkDomain(instance, subdomain)
    answer(ctx, { message: `${subdomain} is being looked at.` })
  }
}
