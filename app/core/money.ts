import Big from 'big.js'

/** Manual payments by mobile money cost 1.75 % more (product, "Money"). */
const MANUAL_PAYMENT_FACTOR = '1.0175'

/** Converts dollars to taka with two decimals, rounded half up. Only the result is rounded. */
export function dollarsToTaka(dollars: string, dollarRate: string): string {
  return new Big(dollars).times(dollarRate).toFixed(2, Big.roundHalfUp)
}

/** Formats an amount of taka with two decimals: `৳1,222.16`. */
export function formatTaka(amount: string): string {
  return `৳${amount.replace(/\B(?=(\d{3})+(?!\d))/gu, ',')}`
}

/** Returns the taka to send for a bill: dollars x dollarRate x 1.0175, with two decimals. */
export function totalTakaWithFee(dollars: string, dollarRate: string): string {
  return new Big(dollars).times(dollarRate).times(MANUAL_PAYMENT_FACTOR).toFixed(2, Big.roundHalfUp)
}

/** Returns the exact sum of dollar amounts with at most six decimals. */
export function sumAmounts(amounts: string[]): string {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toString()
}

/** Formats dollars for staff, without trailing zeros after the cents. */
export function formatDollarAmount(amount: string): string {
  const exact = new Big(amount)
  const cents = exact.toFixed(2)
  return `$${exact.eq(cents) ? cents : exact.toFixed()}`
}

/** Returns whether two amounts are equal: `5` equals `5.00`. */
export function sameAmount(one: string, other: string): boolean {
  return new Big(one).eq(other)
}
