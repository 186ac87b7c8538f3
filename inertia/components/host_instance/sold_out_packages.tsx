import type { HostCard } from './types'
import styles from './sold_out_packages.module.css'

interface SoldOutPackagesProps {
  soldOut: HostCard['sold_out']
  /** Whether only the names are shown, in one line. */
  short?: boolean
}

export function SoldOutPackages({ soldOut, short }: SoldOutPackagesProps) {
  if (!soldOut.length) return null
  if (short) {
    const names = soldOut.flatMap(({ packages }) => packages).join(', ')
    return (
      <p className={styles.line} title={names}>
        Sold out: {names}
      </p>
    )
  }
  return (
    <dl className={styles.list} aria-label="Sold-out packages on this host">
      {soldOut.map(({ reason, packages }) => (
        <div key={reason}>
          <dt>{reason}</dt>
          <dd>{packages.join(', ')}</dd>
        </div>
      ))}
    </dl>
  )
}
