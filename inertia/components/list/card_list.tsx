import { useState, type ReactNode } from 'react'
import { useMounted } from '@mantine/hooks'
import { Bar, BarEnd, SearchBox, StatusFilter } from './bar'
import { restore, save } from './state'
import styles from './card_list.module.css'

export interface CardListProps<Row> {
  /** session storage key: `server-instance-pagination` */
  storageKey: string
  rows: Row[]
  statuses: Record<string, string>
  statusOf: (row: Row) => string
  nameOf: (row: Row) => string
  rowKey: (row: Row) => string | number
  /** label of the filter for all: "All Servers" */
  all: string
  searchLabel?: string
  card: (row: Row) => ReactNode
  /** without sections, all cards stand in one grid */
  sections?: { title: string; holds: (row: Row) => boolean }[]
  /** rows that only the filter for their own status shows */
  apart?: (row: Row) => boolean
  /** shown in place of cards, in each section; in another words when only the filter hides them */
  empty: ReactNode
}

interface Chosen {
  status: string
  searchText: string
}

/** The rows that have a status ('' for any) and a name that begins with a text. */
export function filterCards<Row>(
  rows: Row[],
  { status, searchText }: Chosen,
  { statusOf, nameOf, apart }: Pick<CardListProps<Row>, 'statusOf' | 'nameOf' | 'apart'>
) {
  const start = searchText.trim().toLowerCase()
  return rows.filter(
    (row) =>
      (status ? statusOf(row) === status : !apart?.(row)) &&
      nameOf(row).toLowerCase().startsWith(start)
  )
}

/** A list of cards, filtered in the browser by status and by the beginning of the name. */
export function CardList<Row>(props: CardListProps<Row>) {
  const {
    storageKey,
    rows,
    statuses,
    statusOf,
    nameOf,
    rowKey,
    all,
    card,
    sections,
    apart,
    empty,
  } = props
  const mounted = useMounted()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const now = chosen ?? (mounted ? restore(storageKey) : null) ?? { status: '', searchText: '' }
  const found = filterCards(rows, now, { statusOf, nameOf, apart })

  const choose = (change: Partial<Chosen>) => {
    const next = { status: now.status, searchText: now.searchText, ...change }
    setChosen(next)
    save(storageKey, { page: 1, length: 50, ...next })
  }

  const counts: Record<string, number> = {}
  for (const row of rows) counts[statusOf(row)] = (counts[statusOf(row)] ?? 0) + 1

  const grid = (cards: Row[]) =>
    cards.length ? (
      <ul className={styles.grid}>
        {cards.map((row) => (
          <li key={rowKey(row)}>{card(row)}</li>
        ))}
      </ul>
    ) : (
      <div className={styles.empty}>{empty}</div>
    )

  return (
    <div>
      <Bar>
        <StatusFilter
          statuses={statuses}
          counts={counts}
          total={apart && rows.filter((row) => !apart(row)).length}
          all={all}
          value={now.status}
          onChange={(status) => choose({ status })}
        />
        <BarEnd>
          <SearchBox
            label={props.searchLabel ?? 'Search by name'}
            value={now.searchText}
            onChange={(searchText) => choose({ searchText })}
          />
        </BarEnd>
      </Bar>
      {sections
        ? sections.map(({ title, holds }) => (
            <section key={title} className={styles.section} aria-label={title}>
              <h2>{title}</h2>
              {grid(found.filter(holds))}
            </section>
          ))
        : grid(found)}
    </div>
  )
}
