import Big from 'big.js'
import styles from './money.module.css'
import { type Region, useRegion } from './region'

/** Shown instead of a price of 0 while no dollar rate is set. */
const NO_RATE_LABEL = 'No rate set'

/**
 * Formats an amount in the region's currency, such as `€1,222.16`, with one half-up rounding at the end.
 * @param amount exact decimal string in dollars
 * @param rate price of a dollar in the region's currency, exact decimal string. '1' if the amount is already in that
 * currency
 */
export function formatTaka(
  amount: string | number,
  rate: string | number,
  region: Pick<Region, 'symbol' | 'digits'>
) {
  if (new Big(rate).eq(0)) return NO_RATE_LABEL
  const value = new Big(amount).times(rate).round(region.digits, Big.roundHalfUp)
  const [whole, decimals] = value.abs().toFixed(region.digits).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/gu, ',')
  const text = withSymbol(decimals ? `${grouped}.${decimals}` : grouped, region)
  return `${value.lt(0) ? '-' : ''}${text}`
}

/** Puts the symbol before the number. If it ends with a letter or a period, a no-break space follows it: `CHF 5`. */
export function withSymbol(number: string, { symbol }: Pick<Region, 'symbol'>) {
  return /[\p{L}.]$/u.test(symbol) ? `${symbol}\u00A0${number}` : `${symbol}${number}`
}

/**
 * Shows an amount in the region's currency. Without `rate`, the amount is already in that currency. The tooltip
 * contains the full text, because a narrow column may cut it off.
 */
export function Money({ amount, rate = '1' }: { amount: string | number; rate?: string | number }) {
  const text = formatTaka(amount, rate, useRegion())
  return (
    <span className={styles.money} title={text}>
      {text}
    </span>
  )
}
