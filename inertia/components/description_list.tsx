import type { ReactNode } from 'react'
import styles from './description_list.module.css'

export interface DescriptionItem {
  label: string
  /** An empty value is shown as a dash. */
  value: ReactNode
}

export function DescriptionList({ label, rows }: { label: string; rows: DescriptionItem[] }) {
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
