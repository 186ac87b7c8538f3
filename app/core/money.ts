import Big from 'big.js'

/** A manual payment by mobile money costs 1.75 % more (product, "Money"). */
const MANUAL_PAYMENT_FACTOR = '1.0175'

/** Dollars times the rate as taka with two decimals, half up; rounded here and nowhere before. */
export function dollarsToTaka(dollars: string, dollarRate: string): string {
  return new Big(dollars).times(dollarRate).toFixed(2, Big.roundHalfUp)
}

/** An amount of taka with two decimals as people read it: `৳1,222.16`. */
export function formatTaka(amount: string): string {
  return `৳${amount.replace(/\B(?=(\d{3})+(?!\d))/gu, ',')}`
}

/** What is to be sent for a bill: amount x dollarRate x 1.0175, two decimals. */
export function totalTakaWithFee(dollars: string, dollarRate: string): string {
  return new Big(dollars).times(dollarRate).times(MANUAL_PAYMENT_FACTOR).toFixed(2, Big.roundHalfUp)
}

/** The exact sum of dollar amounts, at most six places. */
export function sumAmounts(amounts: string[]): string {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toString()
}

/** Dollars as staff read and type them: no zeros at the end beyond cents. */
export function formatDollarAmount(amount: string): string {
  const exact = new Big(amount)
  const cents = exact.toFixed(2)
  return `$${exact.eq(cents) ? cents : exact.toFixed()}`
}

/** Whether two amounts are the same money: `5` and `5.00` are. */
export function sameAmount(one: string, other: string): boolean {
  return new Big(one).eq(other)
}
