import { resumeAccountIfPaid } from '#billing/actions/dunning'
import { settleBill } from '#billing/actions/settle_bill'
import {
  freezeRateIfMissing,
  type Requester,
  withLockedBill,
} from '#billing/actions/with_locked_bill'
import { noDollarRate, tooManyDecimals, transactionUsed } from '#billing/errors'
import type Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { billDollarRate } from '#billing/payable_amounts'
import { assertCanTransition } from '#billing/states/bill'
import { dollarsToTaka, formatTaka } from '#core/money'
import { invalid } from '#core/app_error'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { billingTimeZone, regionalSettings } from '#core/settings/regional_settings'
import { translateUniqueKeys } from '#core/unique_keys'
import Big from 'big.js'
import { DateTime } from 'luxon'

export interface EnteredPayment {
  method: 'cash' | 'bank'
  /** Taka without the fee, which only mobile money has. */
  taka: string
  /** ISO date. */
  paidOn: string
  /** Number of the receipt or of the bank transfer. Only one payment of the method can have it. */
  reference: string
  note: string | null
}

const methodNames = { cash: 'Cash', bank: 'Bank transfer' }

/**
 * A remainder stays due; an excess becomes account credit.
 * @throws 409 if a payment claim is pending, nothing is due or no dollar rate is set; 422 for a used reference
 *   or a day in the future
 */
export async function enterPayment(
  bill: Pick<Bill, 'id'>,
  { method, taka, paidOn, reference, note }: EnteredPayment,
  by: Requester
): Promise<Bill> {
  assertPaidOn(paidOn)
  const { digits } = regionalSettings()
  if (new Big(taka).lte(0)) throw invalid({ amount: 'Enter an amount above 0.' })
  if (!new Big(taka).eq(new Big(taka).round(digits))) throw tooManyDecimals(digits)
  // Bank statements contain the bank's reference as the transaction ID. An uploaded statement then
  // does not count the transfer twice.
  const trxId = method === 'cash' ? `CASH-${reference}` : reference
  const paid = await withLockedBill(bill, 'bill.enter_payment', by, async (locked, trx) => {
    assertCanTransition(locked, 'pay')
    const { due } = locked
    const rate = billDollarRate(locked, await loadDollarRate(trx))
    if (new Big(rate).lte(0)) throw noDollarRate()
    const payable = new Big(dollarsToTaka(due, rate))
    const isWhole = payable.lte(taka)
    const amount = isWhole
      ? due
      : new Big(due).times(taka).div(payable).round(6, Big.roundDown).toFixed()
    const beyond = isWhole ? new Big(taka).minus(payable) : new Big(0)
    const attempt = locked.attempts + 1
    const payment = {
      billId: locked.id,
      attempt,
      accountNumber: methodNames[method],
      trxId,
      reference,
      amount,
      taka,
      dollarRate: rate,
      status: 'approved' as const,
      note,
      method,
      paidOn,
      claimedBy: by.actor?.id ?? null,
      decidedBy: by.actor?.id ?? null,
      decidedAt: DateTime.utc(),
    }
    const taken = { bill_payments_trx: () => transactionUsed('reference') }
    const created = await translateUniqueKeys(taken, () =>
      BillPayment.create(payment, { client: trx })
    )
    locked.merge({
      attempts: attempt,
      accountNumber: methodNames[method],
      trxId,
      reference,
      note: beyond.gt(0)
        ? `${formatTaka(beyond.toFixed(2))} above the amount due is credit for the next bill.`
        : null,
    })
    freezeRateIfMissing(locked, rate)
    const excess = beyond.div(rate).round(6, Big.roundDown).toFixed()
    await settleBill(locked, [created], excess, by, trx)
    return locked
  })
  await resumeAccountIfPaid(paid.accountId, by)
  return paid
}

function assertPaidOn(day: string): void {
  const date = DateTime.fromISO(day, { zone: billingTimeZone() })
  if (!date.isValid) throw invalid({ date: 'Enter the day of the payment.' })
  if (date > DateTime.now())
    throw invalid({
      date: 'The day of the payment is in the future. Enter today or an earlier day.',
    })
}
