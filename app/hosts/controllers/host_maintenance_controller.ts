import { respond } from '#core/action_response'
import { checkHostNow, setHostMaintenance } from '#hosts/actions/manage_hosts'
import { getHost } from '#hosts/queries/hosts'
import { maintenanceValidator } from '#hosts/validators/hosts'
import { assertAbilityIfStaff } from '#identity/public'
import type { HttpContext } from '@adonisjs/core/http'

export default class HostMaintenanceController {
  async update(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'hosts.manage')
    const host = await getHost(ctx.request.input('id'))
    const { on } = await ctx.request.validateUsing(maintenanceValidator)
    await setHostMaintenance(actor, host.id, on, ctx.request.ip())
    respond(ctx, { message: on ? `${host.name} is in maintenance.` : `${host.name} is active.` })
  }

  async check(ctx: HttpContext) {
    assertAbilityIfStaff(ctx.actor, 'hosts.manage')
    const host = await checkHostNow(await getHost(ctx.request.input('id')))
    const { name, status, statusReason } = host
    respond(ctx, {
      message: statusReason ? `${name} is ${status}: ${statusReason}` : `${name} is ${status}.`,
      data: { status, reason: statusReason },
    })
  }
}
