import Big from 'big.js'
import styles from './money.module.css'

/**
 * Dollars in taka: prefixed with the sign, two decimals, rounded half up at the end only.
 *
 * @param amount exact decimal string in dollars
 * @param rate taka for one dollar, exact decimal string; '1' for amounts that are in taka already
 */
export function taka(amount: string | number, rate: string | number = '1') {
  const value = new Big(amount).times(rate).round(2, Big.roundHalfUp)
  return `${value.lt(0) ? '-' : ''}৳${value.abs().toFixed(2)}`
}

/** Groups of three of the whole part, set apart by space only: what is copied stays a plain number. */
function groups(whole: string) {
  return whole.replace(/\B(?=(\d{3})+$)/gu, ' ').split(' ')
}

/** An amount of dollars, shown in taka. */
export function Money({ amount, rate }: { amount: string | number; rate?: string | number }) {
  const [whole, rest] = taka(amount, rate).split('.')
  const [, sign, digits] = /^(\D*)(\d+)$/u.exec(whole) ?? [whole, '', whole]
  return (
    <span className={styles.money}>
      {sign}
      {groups(digits).map((group, index) => (
        <span key={index} className={index ? styles.group : undefined}>
          {group}
        </span>
      ))}
      .{rest}
    </span>
  )
}
