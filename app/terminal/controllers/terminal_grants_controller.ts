import { respond } from '#core/action_response'
import { issueTerminalGrant } from '#terminal/actions/issue_terminal_grant'
import { customerGrantValidator } from '#terminal/validators/terminal_grant'
import type { HttpContext } from '@adonisjs/core/http'

export default class TerminalGrantsController {
  async store(ctx: HttpContext) {
    const { server_instance_id: id, path } = await ctx.request.validateUsing(customerGrantValidator)
    const data = await issueTerminalGrant(ctx, ctx.actor, { type: 'server_instance', id, path })
    respond(ctx, { status: 201, message: 'You can open the terminal now.', data: { ...data } })
  }
}
