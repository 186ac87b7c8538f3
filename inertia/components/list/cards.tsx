import type { ReactNode } from 'react'
import styles from './cards.module.css'

export interface Section<Row> {
  title: string
  holds: (row: Row) => boolean
}

interface CardsProps<Row> {
  rows: Row[]
  rowKey: (row: Row) => string | number
  card: (row: Row) => ReactNode
  /** without sections, all cards stand in one grid */
  sections?: Section<Row>[]
  /** shown while the next page is on its way */
  loading?: boolean
}

/** A page of a list as cards. */
export function Cards<Row>({ rows, rowKey, card, sections, loading }: CardsProps<Row>) {
  const grid = (part: Row[]) =>
    part.length ? (
      <ul className={styles.grid}>
        {part.map((row) => (
          <li key={rowKey(row)}>{card(row)}</li>
        ))}
      </ul>
    ) : (
      <div className={styles.empty}>None.</div>
    )
  return (
    <div aria-busy={loading || undefined} className={styles.cards}>
      {sections
        ? sections.map(({ title, holds }) => (
            <section key={title} className={styles.section} aria-label={title}>
              <h2>{title}</h2>
              {grid(rows.filter(holds))}
            </section>
          ))
        : grid(rows)}
    </div>
  )
}
