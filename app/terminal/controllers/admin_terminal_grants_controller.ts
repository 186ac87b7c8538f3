import { respond } from '#core/action_response'
import { issueTerminalGrant } from '#terminal/actions/issue_terminal_grant'
import { staffGrantValidator } from '#terminal/validators/terminal_grant'
import type { HttpContext } from '@adonisjs/core/http'

export default class AdminTerminalGrantsController {
  async store(ctx: HttpContext) {
    const input = await ctx.request.validateUsing(staffGrantValidator)
    const { host_instance_id: host, server_instance_id: server, path } = input
    const machine = host
      ? ({ type: 'host_instance', id: host } as const)
      : ({ type: 'server_instance', id: server!, path } as const)
    const data = await issueTerminalGrant(ctx, ctx.actor, machine)
    respond(ctx, { status: 201, message: 'You can open the terminal now.', data: { ...data } })
  }
}
