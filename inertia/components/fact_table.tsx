import type { ReactNode } from 'react'
import styles from './fact_table.module.css'

export interface FactRow {
  label: string
  /** what is not known is left out of no list: it shows as a dash */
  value: ReactNode
}

/** What is known of a thing, one line each. */
export function FactTable({ label, rows }: { label: string; rows: FactRow[] }) {
  return (
    <dl className={styles.table} aria-label={label}>
      {rows.map(({ label: name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value || '-'}</dd>
        </div>
      ))}
    </dl>
  )
}
