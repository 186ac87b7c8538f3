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
import { remainderTooSmall, reductionAboveDue } from '#billing/errors'
import { billDollarRate } from '#billing/payable_amounts'
import { minBillDollars } from '#billing/prices'
import type Bill from '#billing/models/bill'
import { assertCanTransition } from '#billing/states/bill'
import { billingTimeZone } from '#core/settings/regional_settings'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { sumAmounts } from '#core/money'
import Big from 'big.js'
import { DateTime } from 'luxon'

interface Reduction {
  /** Amount in the bill's currency; `null` for the whole amount due. */
  amount: string | null
  note: string
}

/**
 * Issues a numbered credit note for a bill that was too high. Throws 409 if a claim is under review
 * or nothing is due. Throws 422 for more than the amount due, or if the remainder could not be
 * paid.
 */
export function creditBill(
  bill: Pick<Bill, 'id'>,
  reduction: Reduction,
  by: Requester
): Promise<Bill> {
  return reduce(bill, 'credit', reduction, by)
}

/** Writes off an amount due that nobody will pay. Throws as `creditBill`. */
export function writeOffBill(
  bill: Pick<Bill, 'id'>,
  reduction: Reduction,
  by: Requester
): Promise<Bill> {
  return reduce(bill, 'write_off', reduction, by)
}

async function reduce(
  bill: Pick<Bill, 'id'>,
  move: 'credit' | 'write_off',
  { amount: requestedAmount, note }: Reduction,
  by: Requester
): Promise<Bill> {
  const reduced = await withLockedBill(bill, `bill.${move}`, by, async (locked, trx) => {
    assertCanTransition(locked, move)
    const amount = requestedAmount ?? locked.due
    if (new Big(amount).gt(locked.due)) throw reductionAboveDue(locked.due)
    const left = new Big(locked.due).minus(amount)
    const least = minBillDollars(billDollarRate(locked, await loadDollarRate(trx)))
    if (left.gt(0) && left.lt(least)) throw remainderTooSmall(least)
    const posted = { amount, note, actorId: by.actor?.id }
    if (move === 'credit') {
      const series = `C-${DateTime.now().setZone(billingTimeZone()).year}`
      const number = formatSeriesNumber(series, await reserveSeriesNumbers(series, 1, trx))
      await postLedgerTransfer(locked, 'credited', { ...posted, number }, trx)
      locked.credited = sumAmounts([locked.credited, amount])
    } else {
      await postLedgerTransfer(locked, 'written_off', posted, trx)
      locked.writtenOff = sumAmounts([locked.writtenOff, amount])
    }
    closeBillIfSettled(locked)
    return locked
  })
  await resumeAccountIfPaid(reduced.accountId, by)
  return reduced
}
