import {
  type Requester,
  withLockedBill,
  closeBillIfSettled,
} from '#billing/actions/with_locked_bill'
import {
  formatSeriesNumber,
  postLedgerTransfer,
  reserveSeriesNumbers,
} from '#billing/actions/ledger'
import { resumeAccountIfPaid } from '#billing/actions/dunning'
import { giveAccountCredit } from '#billing/actions/account_credit'
import { paymentsAlreadyCredited, remainderTooSmall, reductionAboveDue } from '#billing/errors'
import { billDollarRate } from '#billing/payable_amounts'
import { minBillDollars } from '#billing/prices'
import type Bill from '#billing/models/bill'
import { assertCanTransition } from '#billing/states/bill'
import { billingTimeZone } from '#core/settings/regional_settings'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { loadCreditableAmount } from '#billing/queries/bill_details'
import { sumAmounts } from '#core/money'
import { invalid } from '#core/app_error'
import Big from 'big.js'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

interface Reduction {
  /** Amount in the bill's currency. `null`: the whole amount due. */
  amount: string | null
  note: string
}

/**
 * Issues a numbered credit note for a bill that was too high. On a paid bill, the amount becomes
 * account credit.
 * @throws 409 if a claim is under review, or nothing is left to credit; 422 for more than that, or if
 *   the remainder could not be paid
 */
export function creditBill(
  bill: Pick<Bill, 'id'>,
  reduction: Reduction,
  by: Requester
): Promise<Bill> {
  return reduceAmountDue(bill, 'credit', reduction, by)
}

/** @throws the same errors as `creditBill`; 409 for a paid bill */
export function writeOffBill(
  bill: Pick<Bill, 'id'>,
  reduction: Reduction,
  by: Requester
): Promise<Bill> {
  return reduceAmountDue(bill, 'write_off', reduction, by)
}

async function reduceAmountDue(
  bill: Pick<Bill, 'id'>,
  move: 'credit' | 'write_off',
  { amount: requestedAmount, note }: Reduction,
  by: Requester
): Promise<Bill> {
  const reduced = await withLockedBill(bill, `bill.${move}`, by, async (locked, trx) => {
    assertCanTransition(locked, move)
    if (locked.status === 'success') {
      await returnPaid(locked, { amount: requestedAmount, note }, by, trx)
      return locked
    }
    const amount = requestedAmount ?? locked.due
    if (new Big(amount).gt(locked.due)) throw reductionAboveDue(locked.due)
    const left = new Big(locked.due).minus(amount)
    const least = minBillDollars(billDollarRate(locked, await loadDollarRate(trx)))
    if (left.gt(0) && left.lt(least)) throw remainderTooSmall(least)
    const posted = { amount, note, actorId: by.actor?.id }
    if (move === 'credit') {
      const number = await reserveCreditNoteNumber(trx)
      await postLedgerTransfer(locked, 'credited', { ...posted, number }, trx)
      locked.credited = sumAmounts([locked.credited, amount])
    } else {
      await postLedgerTransfer(locked, 'written_off', posted, trx)
      locked.writtenOff = sumAmounts([locked.writtenOff, amount])
    }
    closeBillIfSettled(locked)
    // The note explains a rejected payment or a remaining amount. If nothing is due, it no longer
    // applies.
    if (new Big(locked.due).lte(0)) locked.note = null
    return locked
  })
  await resumeAccountIfPaid(reduced.accountId, by)
  return reduced
}

/**
 * Turns the amount of a paid bill into account credit, at most what was paid. Staff can pay the
 * credit out.
 */
async function returnPaid(
  bill: Bill,
  { amount: requested, note }: Reduction,
  { actor }: Requester,
  trx: TransactionClientContract
): Promise<void> {
  const left = await loadCreditableAmount(bill, trx)
  if (bill.accountId === null || new Big(left).lte(0)) throw paymentsAlreadyCredited()
  const amount = requested ?? left
  if (new Big(amount).lte(0)) throw invalid({ amount: 'Enter an amount above 0.' })
  if (new Big(amount).gt(left)) throw reductionAboveDue(left)
  const number = await reserveCreditNoteNumber(trx)
  await giveAccountCredit(
    bill,
    {
      amount,
      kind: 'returned',
      source: `returned:${number}`,
      reason: `Credit note ${number}`,
      number,
      note,
      actorId: actor?.id,
    },
    trx
  )
}

async function reserveCreditNoteNumber(trx: TransactionClientContract): Promise<string> {
  const series = `C-${DateTime.now().setZone(billingTimeZone()).year}`
  return formatSeriesNumber(series, await reserveSeriesNumbers(series, 1, trx))
}
