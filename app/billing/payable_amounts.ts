import type Bill from '#billing/models/bill'
import { dollarsToTaka, totalTakaWithFee } from '#core/money'
import Big from 'big.js'

type Sum = Pick<Bill, 'currency' | 'due' | 'amount' | 'dollarRate'>

/** Returns the rate at which a bill is shown and paid: today's until a payment freezes it. */
export function billDollarRate({ currency, dollarRate }: Sum, today: string): string {
  if (currency === 'BDT') return '1'
  return dollarRate ?? today
}

/** Returns the bill's amount in taka, two decimals. */
export function amountInTaka(bill: Sum, today: string): string {
  return dollarsToTaka(bill.amount, billDollarRate(bill, today))
}

/** Returns the taka to send for the whole amount due. Amounts of bills in taka already include the fee. */
export function payableInTaka(bill: Sum, rate: string): string {
  return bill.currency === 'BDT' ? dollarsToTaka(bill.due, '1') : totalTakaWithFee(bill.due, rate)
}

/** A transfer with the amount that it pays of the bill. */
export interface AllocatedTransfer {
  trxId: string
  /** Taka sent, with the fee. */
  taka: string
  /** In the bill's currency. */
  amount: string
}

/**
 * Returns how much each transfer pays of the bill, or `null` if together they exceed the amount due. The last
 * transfer of a full payment takes the remainder, so that rounding leaves nothing unpaid.
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
