import { respond } from '#core/action_response'
import { notFound } from '#core/app_error'
import { memberIdValidator } from '#accounts/validators/accounts'
import type { HttpContext } from '@adonisjs/core/http'

/** `POST /account/switch { id }`: which of their accounts a person acts for, in this browser. */
export default class AccountSwitchController {
  async update(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(memberIdValidator)
    const account = ctx.actor!.accounts?.find((one) => one.id === id)
    if (!account) throw notFound('account')
    ctx.session.put('account', account.id)
    // The pages of the one account are not for the other.
    respond(ctx, { message: `You now use the account ${account.name}.`, to: '/', anew: true })
  }
}
