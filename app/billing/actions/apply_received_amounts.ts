import type { Requester } from '#billing/actions/with_locked_bill'
import { nothingReceived, receivedSumChanged, receivedSumDiffers } from '#billing/errors'
import type Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { payableInTaka } from '#billing/payable_amounts'
import type { ReceivedTransfers } from '#billing/statements/received_transfers'
import { formatTaka, sameAmount, sumAmounts } from '#core/money'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import Big from 'big.js'
import { DateTime } from 'luxon'

/**
 * Returns true if the reported and the received amount differ and staff chose the received one.
 * Otherwise returns false.
 * @throws 409 if the amounts differ and staff chose none, or if staff chose another amount or an
 *   arrived amount of 0
 */
export function chooseReceivedAmount(
  { reported, received }: ReceivedTransfers,
  approvedTaka?: string
): boolean {
  if (reported === received) {
    if (approvedTaka !== undefined && !sameAmount(approvedTaka, reported))
      throw receivedSumChanged()
    return false
  }
  if (
    approvedTaka === undefined ||
    !(sameAmount(approvedTaka, reported) || sameAmount(approvedTaka, received))
  )
    throw receivedSumDiffers(reported, received)
  if (sameAmount(approvedTaka, reported)) return false
  if (new Big(received).lte(0)) throw nothingReceived()
  return true
}

/**
 * Sets the claimed payments to the amounts that arrived, and rejects payments that did not arrive.
 * The bill's note explains this to the customer.
 * @returns the amount beyond what is due, in the bill's currency
 */
export async function applyReceivedAmounts(
  bill: Bill,
  transfers: ReceivedTransfers,
  by: Requester,
  trx: TransactionClientContract
): Promise<string> {
  const payments = await BillPayment.query({ client: trx })
    .where({ billId: bill.id, status: 'claimed' })
    .orderBy('id')
  const arrived = arrivedAmount(bill, payments, transfers)
  const paid = arrived.gt(bill.due) ? new Big(bill.due) : arrived
  await savePaidShares(payments, paid, transfers, by)
  const excess = arrived.minus(paid).toFixed()
  bill.note = receivedNote(transfers, bill, excess)
  return excess
}

/** Converts the taka that arrived to the bill's currency. */
function arrivedAmount(
  bill: Bill,
  payments: BillPayment[],
  { reported, received }: ReceivedTransfers
): Big {
  // All transfers of a claim have the same rate and fee.
  const { currency, due, amount: billed, dollarRate, issued } = bill
  const sum = { currency, due, amount: billed, dollarRate, issued }
  const payable = payableInTaka(sum, payments[0].dollarRate)
  const claimed = sumAmounts(payments.map(({ amount }) => amount))
  // Each claimed amount is rounded, so scaling their sum would leave a small remainder on a bill that was
  // paid in full.
  const arrived = new Big(received).gte(payable)
    ? new Big(due).times(received).div(payable)
    : new Big(claimed).times(received).div(reported)
  return arrived.round(6, Big.roundDown)
}

/**
 * Splits `paid` among the payments in proportion to the taka that arrived, and rejects payments
 * without any. The last paying one gets the rounding difference.
 */
async function savePaidShares(
  payments: BillPayment[],
  paid: Big,
  { received, byPayment }: ReceivedTransfers,
  { actor }: Requester
): Promise<void> {
  const paying = payments.filter(({ id }) => new Big(byPayment.get(id)!).gt(0))
  let left = paid
  for (const payment of payments) {
    const taka = byPayment.get(payment.id)!
    if (!paying.includes(payment)) {
      const decided = { decidedBy: actor?.id ?? null, decidedAt: DateTime.utc() }
      const note = 'No money arrived.'
      await payment.merge({ status: 'rejected', note, ...decided }).save()
      continue
    }
    const share = new Big(paid).times(taka).div(received).round(6, Big.roundDown)
    const amount = payment === paying.at(-1) ? left : share
    left = left.minus(amount)
    if (sameAmount(taka, payment.taka)) payment.amount = amount.toFixed()
    else payment.merge({ amount: amount.toFixed(), taka, reportedTaka: payment.taka })
    await payment.save()
  }
}

function receivedNote(
  { reported, received }: ReceivedTransfers,
  { accountId }: Bill,
  excess: string
): string {
  const sums = `${formatTaka(received)} arrived instead of ${formatTaka(reported)}.`
  if (new Big(received).lt(reported)) return `${sums} The remainder stays due.`
  if (new Big(excess).lte(0)) return sums
  return accountId === null
    ? `${sums} We will return the excess to the sender.`
    : `${sums} The excess is credit for the next bill.`
}
