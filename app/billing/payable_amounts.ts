import type Bill from '#billing/models/bill'
import { PARTNER_CURRENCY } from '#billing/bill_families'
import { DEFAULT_REGIONAL_SETTINGS } from '#core/settings/regional_settings'
import { dollarsToTaka, totalTakaWithFee } from '#core/money'
import Big from 'big.js'

type Sum = Pick<Bill, 'currency' | 'due' | 'amount' | 'dollarRate' | 'issued'>

/** Returns the fee percentage stored when the bill was issued. Older bills have the default. */
export function billFeePercent({ issued }: Pick<Bill, 'issued'>): string {
  return issued.fee ?? DEFAULT_REGIONAL_SETTINGS.feePercent
}

/** Returns the bill's frozen dollar rate, or today's if it has none (decision 0081). `1` for a bill in taka. */
export function billDollarRate(
  { currency, dollarRate }: Pick<Bill, 'currency' | 'dollarRate'>,
  today: string
): string {
  if (currency === PARTNER_CURRENCY) return '1'
  return dollarRate ?? today
}

export function amountInTaka(
  bill: Pick<Bill, 'currency' | 'amount' | 'dollarRate'>,
  today: string
): string {
  return dollarsToTaka(bill.amount, billDollarRate(bill, today))
}

/** Excludes the fee. */
export function amountDueInTaka(
  bill: Pick<Bill, 'currency' | 'due' | 'dollarRate'>,
  today: string
): string {
  return dollarsToTaka(bill.due, billDollarRate(bill, today))
}

/**
 * Returns the taka to send for the whole amount due, including the fee. The amount of a bill in
 * taka already includes it.
 */
export function payableInTaka(bill: Sum, rate: string): string {
  if (bill.currency === PARTNER_CURRENCY) return dollarsToTaka(bill.due, '1')
  return totalTakaWithFee(bill.due, rate, billFeePercent(bill))
}

/** Returns whether nobody can pay the bill: its amount rounds to 0, or no rate is set. */
export function isTooSmallToPay(bill: Sum, today: string): boolean {
  return new Big(payableInTaka(bill, billDollarRate(bill, today))).lte(0)
}

export interface AllocatedTransfer {
  trxId: string
  /** Taka sent, including the fee. */
  taka: string
  /** Amount that the transfer pays, in the bill's currency. */
  amount: string
}

/**
 * Returns the amount that each transfer pays, or `null` if together they exceed the amount due. If
 * the transfers pay everything, the last one also gets the rounding difference, so that nothing
 * stays unpaid.
 */
export function splitBillOverTransfers(
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
