import type { ReactNode } from 'react'
import styles from './detail_line.module.css'

export interface DetailItem {
  label: string
  value: ReactNode
}

export function DetailLine({ items }: { items: DetailItem[] }) {
  return (
    <dl className={styles.facts}>
      {items.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
