import Big from 'big.js'
import styles from './money.module.css'

/**
 * Dollars in taka, such as `৳1,222.16`: two decimals, rounded half up at the end only.
 *
 * @param amount exact decimal string in dollars
 * @param rate taka for one dollar, exact decimal string; '1' for amounts that are in taka already
 */
export function formatTaka(amount: string | number, rate: string | number = '1') {
  const value = new Big(amount).times(rate).round(2, Big.roundHalfUp)
  return `${value.lt(0) ? '-' : ''}৳${grouped(value.abs().toFixed(2))}`
}

/** Separates groups of three digits before the decimal point by commas. */
function grouped(amount: string) {
  return amount.replace(/\B(?=(\d{3})+\.)/gu, ',')
}

/** An amount of dollars, shown in taka. The title shows it in full where a narrow column cuts it. */
export function Money({ amount, rate }: { amount: string | number; rate?: string | number }) {
  const text = formatTaka(amount, rate)
  return (
    <span className={styles.money} title={text}>
      {text}
    </span>
  )
}
