import { defineSchedule } from '#core/schedules/schedules'
import { runResumeHooks, runSuspensionHooks } from '#accounts/suspension_hooks'
import Account from '#accounts/models/account'
import { DateTime } from 'luxon'

/**
 * Runs the hooks again for suspended accounts, and for accounts resumed within the last day. Some resources may not
 * have stopped or started the first time.
 */
export default defineSchedule({
  name: 'accounts.standing',
  label: 'Stops resources of suspended accounts and restarts those of resumed accounts',
  every: 60,
  async run() {
    for (const account of await Account.query().where('status', 'suspended')) {
      await runSuspensionHooks(account)
    }
    const lately = DateTime.utc().minus({ days: 1 }).toSQL()!
    for (const account of await Account.query()
      .where('status', 'active')
      .where('resumedAt', '>', lately)) {
      await runResumeHooks(account)
    }
  },
})
