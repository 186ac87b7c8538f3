import type { Requester } from '#billing/actions/with_locked_bill'
import { reserveSeriesNumbers, ledgerTransferAccounts } from '#billing/actions/ledger'
import { normalizeTransactionId } from '#billing/actions/report_bill_payment'
import { amountAboveCredit, transactionUsed } from '#billing/errors'
import { loadAccountCreditBalance } from '#billing/queries/account_credit_balance'
import { loadCustomersById } from '#accounts/public'
import { audit } from '#core/audit/audit'
import { billingTimeZone } from '#core/settings/regional_settings'
import { publish } from '#core/live/live_events'
import { invalid } from '#core/app_error'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

interface Refund {
  amount: string
  /** Transaction ID of the transfer to the customer. */
  trxId: string
}

/**
 * Records that staff paid out account credit. Adds a charge of the same amount, so that no bill
 * uses the credit again. The ledger transfer reduces cash and income.
 * @throws 422 for more than the credit, and for the transaction ID of an earlier refund
 */
export async function recordCreditRefund(
  accountId: number,
  { amount, trxId }: Refund,
  { actor, ip }: Requester
): Promise<void> {
  if (new Big(amount).lte(0)) throw invalid({ amount: 'Enter an amount above 0.' })
  const trx_id = normalizeTransactionId(trxId)
  await db.transaction(async (trx) => {
    // Billing runs and other refunds lock the bill numbers too, so they wait and cannot use the same
    // credit.
    await reserveSeriesNumbers(`B-${DateTime.now().setZone(billingTimeZone()).year}`, 0, trx)
    const used = await trx.from('ledger_transfers').where({ trx_id }).first()
    if (used) throw transactionUsed('trx_id')
    const credit = await loadAccountCreditBalance(accountId, trx)
    if (new Big(amount).gt(credit)) throw amountAboveCredit(new Big(credit).toFixed())
    await trx
      .insertQuery()
      .table('bill_charges')
      .insert({
        account_id: accountId,
        source: `refund:${trx_id}`,
        type: 'account',
        name: 'Credit',
        bill_type: 'Credit paid out',
        billing_period: trx_id,
        quantity: 1,
        unit_price: amount,
        cost: amount,
      })
    await trx
      .insertQuery()
      .table('ledger_transfers')
      .insert({
        kind: 'refunded',
        ...ledgerTransferAccounts.refunded,
        currency: 'USD',
        amount,
        trx_id,
        account_id: accountId,
        actor_id: actor?.id ?? null,
      })
    const label =
      (await loadCustomersById([accountId], trx)).get(accountId)?.name ?? `account ${accountId}`
    const subject = { type: 'account' as const, id: accountId, label }
    const after = { amount, trx_id }
    await audit({ actor, accountId, action: 'credit.refund', subject, after, ip }, trx)
  })
  await publish('bill:credit', { owner: accountId })
}
