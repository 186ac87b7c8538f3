import type { Requester } from '#billing/actions/with_locked_bill'
import { spendingAlertMail } from '#billing/mails'
import { listBillingRecipients } from '#billing/queries/billing_recipients'
import { listAccountsToAlert, calendarMonth } from '#billing/queries/month_to_date'
import { invalid } from '#core/app_error'
import { audit } from '#core/audit/audit'
import { sendMails } from '#core/mail/send_mail'
import { formatTaka } from '#core/money'
import {
  assertCurrencyWithSharedLock,
  loadRegionalSettings,
} from '#core/settings/load_regional_settings'
import { regionalSettings } from '#core/settings/regional_settings'
import db from '@adonisjs/lucid/services/db'
import Big from 'big.js'
import type { DateTime } from 'luxon'

/**
 * After a change, the account can be notified again in the same month.
 * @param amount taka; `null` removes the alert
 * @throws 409 if the currency changes meanwhile
 */
export async function saveSpendingAlert(
  account: { id: number; name: string },
  amount: string | null,
  { actor, ip }: Requester
): Promise<void> {
  if (amount !== null && new Big(amount).lte(0))
    throw invalid({ amount: 'Enter an amount above 0.' })
  const { currency } = regionalSettings()
  await db.transaction(async (trx) => {
    await assertCurrencyWithSharedLock(currency, trx)
    const known = await trx
      .from('billing_alerts')
      .where('account_id', account.id)
      .forUpdate()
      .first()
    if (amount === null) await trx.from('billing_alerts').where('account_id', account.id).delete()
    else {
      await trx.rawQuery(
        `insert into billing_alerts (account_id, amount) values (?, ?)
         on conflict (account_id) do update set amount = excluded.amount, told_month = case
           when billing_alerts.amount = excluded.amount then billing_alerts.told_month end`,
        [account.id, amount]
      )
    }
    const subject = { type: 'account' as const, id: account.id, label: account.name }
    const change = { before: { amount: known?.amount ?? null }, after: { amount } }
    const entry = { actor, ip, action: 'billing.alert', accountId: account.id, subject, ...change }
    await audit(entry, trx)
  })
}

/**
 * Notifies each account whose charges this month have reached its alert. It is notified once a month for the same
 * alert amount, even if runs overlap.
 */
export async function sendSpendingAlerts(now: DateTime, signal?: AbortSignal): Promise<void> {
  await loadRegionalSettings()
  const month = calendarMonth(now)
  for (const { accountId, account, amount, total } of await listAccountsToAlert(now)) {
    if (signal?.aborted) return
    await db.transaction(async (trx) => {
      const { rows } = await trx.rawQuery(
        `update billing_alerts set told_month = ? where account_id = ? and amount = ?
           and told_month is distinct from ? returning account_id`,
        [month, accountId, amount, month]
      )
      if (!rows.length) return
      const values = {
        account,
        sum: formatTaka(total),
        limit: formatTaka(new Big(amount).toFixed(2)),
      }
      const emails = (await listBillingRecipients([accountId], trx)).get(accountId)!
      await sendMails(
        emails.map((email) => spendingAlertMail(email, values)),
        trx
      )
    })
  }
}
