import type { ReactNode } from 'react'
import styles from './card_grid.module.css'

export interface CardSection<Row> {
  title: string
  isShown: (row: Row) => boolean
}

interface CardGridProps<Row> {
  rows: Row[]
  rowKey: (row: Row) => string | number
  card: (row: Row) => ReactNode
  /** Groups of cards. Without them, all cards are in one grid. */
  sections?: CardSection<Row>[]
  /** Whether other rows are loading, for example those of another page. */
  loading?: boolean
}

export function CardGrid<Row>({ rows, rowKey, card, sections, loading }: CardGridProps<Row>) {
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
        ? sections.map(({ title, isShown }) => (
            <section key={title} className={styles.section} aria-label={title}>
              <h2>{title}</h2>
              {grid(rows.filter(isShown))}
            </section>
          ))
        : grid(rows)}
    </div>
  )
}
