import Big from 'big.js'
import styles from './money.module.css'

/**
 * Formats dollars as taka, such as `৳1,222.16`: two decimals, with one half-up rounding at the end.
 *
 * @param amount exact decimal string in dollars
 * @param rate taka per dollar, exact decimal string; '1' for amounts that are in taka already
 */
export function formatTaka(amount: string | number, rate: string | number = '1') {
  const value = new Big(amount).times(rate).round(2, Big.roundHalfUp)
  return `${value.lt(0) ? '-' : ''}৳${grouped(value.abs().toFixed(2))}`
}

/** Puts a comma between groups of three digits before the decimal point. */
function grouped(amount: string) {
  return amount.replace(/\B(?=(\d{3})+\.)/gu, ',')
}

/**
 * A dollar amount, shown in taka. The title has the full text, because a narrow column may cut it
 * off.
 */
export function Money({ amount, rate }: { amount: string | number; rate?: string | number }) {
  const text = formatTaka(amount, rate)
  return (
    <span className={styles.money} title={text}>
      {text}
    </span>
  )
}
