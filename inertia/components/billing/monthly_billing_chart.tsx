import styles from './monthly_billing_chart.module.css'

interface MonthlyBillingChartProps {
  label: string
  /** Exact decimals, oldest month first. */
  months: { month: string; billed: string; paid: string }[]
}

/** The table below the chart has the same figures. */
export function MonthlyBillingChart({ label, months }: MonthlyBillingChartProps) {
  const top = Math.max(1, ...months.flatMap(({ billed, paid }) => [Number(billed), Number(paid)]))
  const height = (amount: string) => `${(Math.max(0, Number(amount)) / top) * 100}%`
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        <span>
          <span className={`${styles.key} ${styles.billed}`} aria-hidden />
          Billed
        </span>
        <span>
          <span className={`${styles.key} ${styles.paid}`} aria-hidden />
          Paid
        </span>
      </figcaption>
      <div className={styles.bars} role="img" aria-label={label}>
        {months.map(({ month, billed, paid }) => (
          <div key={month} className={styles.month} title={month}>
            <span className={styles.billed} style={{ height: height(billed) }} />
            <span className={styles.paid} style={{ height: height(paid) }} />
          </div>
        ))}
      </div>
    </figure>
  )
}
