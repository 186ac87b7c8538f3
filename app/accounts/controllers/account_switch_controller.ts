import { respond } from '#core/action_response'
import { notFound } from '#core/app_error'
import { memberIdValidator } from '#accounts/validators/accounts'
import type { HttpContext } from '@adonisjs/core/http'

/** Selects the account that a person acts for in this browser. */
export default class AccountSwitchController {
  async update(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(memberIdValidator)
    const account = ctx.actor.accounts?.find((one) => one.id === id)
    if (!account) throw notFound('account')
    ctx.session.put('account', account.id)
    // A full page load, so that the browser keeps no data of the previous account.
    respond(ctx, { message: `You now use the account ${account.name}.`, to: '/', anew: true })
  }
}
