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
import { MIN_BILL_DOLLARS } from '#billing/prices'
import type Bill from '#billing/models/bill'
import { assertCanTransition } from '#billing/states/bill'
import { BUSINESS_TIME_ZONE } from '#core/business_time_zone'
import { sumAmounts } from '#core/money'
import Big from 'big.js'
import { DateTime } from 'luxon'

interface Reduction {
  /** In the bill's currency; all that is left where it is not said. */
  amount: string | null
  /** Why, in words for the customer and the books. */
  note: string
}

/**
 * A credit note: less of the bill is to be paid, because it said too much. It has a number of its own and
 * names the bill. Throws 409 where a claim waits or nothing is left, 422 for more than is left, and
 * where less than a cent would stay.
 */
export function creditBill(
  bill: Pick<Bill, 'id'>,
  reduction: Reduction,
  by: Requester
): Promise<Bill> {
  return reduce(bill, 'credit', reduction, by)
}

/** What is left is given up; it was owed, and nobody will pay it. Throws as `creditBill`. */
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
    if (left.gt(0) && left.lt(MIN_BILL_DOLLARS)) throw remainderTooSmall()
    const posted = { amount, note, actorId: by.actor?.id }
    if (move === 'credit') {
      const series = `C-${DateTime.now().setZone(BUSINESS_TIME_ZONE).year}`
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
