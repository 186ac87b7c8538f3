import type Bill from '#billing/models/bill'
import { dollarsToTaka, totalTakaWithFee } from '#core/money'
import Big from 'big.js'

type Sum = Pick<Bill, 'currency' | 'due' | 'amount' | 'dollarRate'>

/** The rate that a bill is shown and paid at: today's until a payment freezes it. */
export function billDollarRate({ currency, dollarRate }: Sum, today: string): string {
  if (currency === 'BDT') return '1'
  return dollarRate ?? today
}

/** The bill's amount in taka, two decimals. */
export function amountInTaka(bill: Sum, today: string): string {
  return dollarsToTaka(bill.amount, billDollarRate(bill, today))
}

/**
 * What is to be sent for all that is left, in taka. The amounts of bills in taka include the fee already.
 */
export function payableInTaka(bill: Sum, rate: string): string {
  return bill.currency === 'BDT' ? dollarsToTaka(bill.due, '1') : totalTakaWithFee(bill.due, rate)
}

/** One transfer with what it pays of the bill. */
export interface AllocatedTransfer {
  trxId: string
  /** What was sent, the charge included. */
  taka: string
  /** In the bill's currency. */
  amount: string
}

/**
 * What each transfer pays. Sums are rounded once, and where they pay all that is left the last one takes
 * the rest, so that nothing stays because of rounding. Null where they are more than that.
 */
export function allocateTransfers(
  bill: Sum,
  sent: { trxId: string; taka: string | null }[],
  rate: string
): AllocatedTransfer[] | null {
  const all = payableInTaka(bill, rate)
  const parts = sent.map(({ trxId, taka: one }) => ({ trxId, taka: one ?? all }))
  const total = parts.reduce((sum, part) => sum.plus(part.taka), new Big(0))
  if (total.gt(all)) return null
  const isAll = total.eq(all)
  let left = new Big(bill.due)
  return parts.map((part, index) => {
    const share = new Big(bill.due).times(part.taka).div(all).round(6, Big.roundDown)
    const amount = isAll && index === parts.length - 1 ? left : share
    left = left.minus(amount)
    return { ...part, amount: amount.toFixed() }
  })
}
