import { saveSpendingAlert } from '#billing/actions/spending_alerts'
import { spendingAlertValidator } from '#billing/validators/bills'
import { respond } from '#core/action_response'
import { formatTaka } from '#core/money'
import { accountIdOf, requesterOf } from '#core/contracts/actor'
import type { HttpContext } from '@adonisjs/core/http'

export default class SpendingAlertsController {
  /** `amount` is in taka. Without it, removes the alert. */
  async update(ctx: HttpContext) {
    const { amount = null } = await spendingAlertValidator.validate(ctx.request.body())
    const account = { id: accountIdOf(ctx.actor), name: ctx.actor.account!.name }
    await saveSpendingAlert(account, amount, requesterOf(ctx))
    respond(ctx, {
      message: amount
        ? `Alert saved. We email you when this month reaches ${formatTaka(amount)}.`
        : 'Alert removed.',
    })
  }
}
