import { regionalSettings } from '#core/settings/regional_settings'
import Big from 'big.js'

/* In names, "taka" means the currency of the regional settings (decision 0069). */

/** Converts US dollars to taka. Rounds only the result: half up, to the currency's decimals. */
export function dollarsToTaka(dollars: string, dollarRate: string): string {
  return new Big(dollars).times(dollarRate).toFixed(regionalSettings().digits, Big.roundHalfUp)
}

/** Formats an amount with the currency's symbol, decimals and thousands separators: `€1,234.50`. */
export function formatTaka(amount: string): string {
  const [whole, decimals] = new Big(amount).toFixed(regionalSettings().digits).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/gu, ',')
  return withCurrencySymbol(decimals ? `${grouped}.${decimals}` : grouped)
}

/** Formats the price of one US dollar with all its decimals, at least two: `€0.92`. */
export function formatRate(rate: string): string {
  const exact = new Big(rate)
  const cents = exact.toFixed(2)
  return withCurrencySymbol(exact.eq(cents) ? cents : exact.toFixed())
}

/**
 * Puts the currency symbol before a number, but after a minus sign. A symbol that ends in a letter or a dot is
 * followed by a no-break space: `CHF 5`.
 */
export function withCurrencySymbol(
  number: string,
  { symbol }: { symbol: string } = regionalSettings()
): string {
  const prefix = /[\p{L}.]$/u.test(symbol) ? `${symbol}\u00A0` : symbol
  return number.startsWith('-') ? `-${prefix}${number.slice(1)}` : `${prefix}${number}`
}

/**
 * Returns dollars x dollarRate, plus the fee.
 * @param feePercent exact decimal: `1.75`
 */
export function totalTakaWithFee(dollars: string, dollarRate: string, feePercent: string): string {
  const factor = new Big(feePercent).div(100).plus(1)
  return dollarsToTaka(new Big(dollars).times(factor).toFixed(), dollarRate)
}

/** Adds amounts without rounding. Each has at most six decimals. */
export function sumAmounts(amounts: string[]): string {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toString()
}

/** Formats an amount in US dollars for staff: at least two decimals, no trailing zeros after them. */
export function formatDollarAmount(amount: string): string {
  const exact = new Big(amount)
  const cents = exact.toFixed(2)
  return `$${exact.eq(cents) ? cents : exact.toFixed()}`
}

/** Returns whether amounts are numerically equal: `5` and `5.00` are. */
export function sameAmount(one: string, other: string): boolean {
  return new Big(one).eq(other)
}
