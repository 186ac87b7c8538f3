import type { ReactNode } from 'react'
import styles from './key_facts.module.css'

export interface Fact {
  label: string
  value: ReactNode
}

/** What one must know of a thing, in one line. */
export function KeyFacts({ facts }: { facts: Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
