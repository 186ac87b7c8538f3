import { useEffect, useRef, useState, type ReactNode } from 'react'
import { router, usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import type { ListAnswer } from '~/types'
import { EmptyState } from '@ui/empty_state'
import { useDelayed } from '@ui/use_delayed'
import { Bar, BarEnd, PageSize, SearchBox, StatusFilter } from './bar'
import { Footer } from './footer'
import { fromUrl, restore, sameState, save, toQuery, type ListState } from './state'
import { focusFirstRow, Table, type Column } from './table'

export interface ListProps<Row> {
  /** the address of the list, without query */
  path: string
  /** what the address says besides: the tab that the list is on */
  query?: Record<string, string>
  /** session storage key: `project-pagination` */
  storageKey: string
  answer: ListAnswer<Row>
  /** what is listed, for readers of the page: "Projects" */
  label: string
  /** label of the filter for all: "All Projects" */
  all: string
  searchLabel?: string
  columns: Column<Row>[]
  rowKey: (row: Row) => string | number
  rowHref?: (row: Row) => string | null
  struck?: (row: Row) => boolean
  /** shown while there is nothing to list at all, with one next step */
  empty: { title: string; hint?: string; action?: ReactNode }
  /** the props of the page that a change of filter asks for anew */
  only?: string[]
}

const SEARCH_MS = 250
const LIST_PROPS = ['page', 'length', 'count', 'rows', 'statuses', 'counts', 'errors']

/**
 * The one list behind every list page of the server: filters, search, sizes, pages, keyboard and
 * saved state. Each change is a partial visit `GET {path}?page&length&status&search` that keeps
 * scroll, focus and state; the address always says what is shown.
 */
export function List<Row>(props: ListProps<Row>) {
  const {
    path,
    query,
    storageKey,
    answer,
    label,
    all,
    searchLabel = 'Search by name',
    columns,
  } = props
  const { rowKey, rowHref, struck, empty, only = LIST_PROPS } = props
  const { url } = usePage()
  const shown = fromUrl(url, answer)
  const [text, setText] = useState(shown.searchText)
  const [loading, setLoading] = useState(false)
  const wanted = useRef<ListState>(shown)
  const top = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const slow = useDelayed(loading)

  const go = (change: Partial<ListState>) => {
    const before = wanted.current
    wanted.current = { ...before, page: 1, ...change }
    save(storageKey, wanted.current)
    router.get(
      path,
      { ...query, ...toQuery(wanted.current) },
      {
        only,
        preserveState: true,
        preserveScroll: true,
        replace: true,
        onStart: () => setLoading(true),
        onFinish: (visit) => {
          if (!visit.interrupted) setLoading(false)
        },
        onSuccess: () => {
          const above = (top.current?.getBoundingClientRect().top ?? 0) < 0
          if (above && before.page !== wanted.current.page)
            top.current?.scrollIntoView({ block: 'start' })
        },
        onNetworkError: () => setLoading(false),
      }
    )
  }

  const search = useDebouncedCallback((searchText: string) => go({ searchText }), SEARCH_MS)

  const comeBack = useRef(() => {
    const saved = url.includes('?') ? null : restore(storageKey)
    if (!saved || sameState(saved, shown)) return save(storageKey, shown)
    setText(saved.searchText)
    go(saved)
  })
  useEffect(() => comeBack.current(), [])

  const filtered = Boolean(shown.status || shown.searchText)

  return (
    <section aria-label={label} ref={top}>
      <Bar>
        <StatusFilter
          statuses={answer.statuses}
          counts={answer.counts}
          all={all}
          value={shown.status}
          onChange={(status) => go({ status, searchText: text })}
        />
        <BarEnd>
          <SearchBox
            label={searchLabel}
            value={text}
            onChange={(value) => {
              setText(value)
              search(value)
            }}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowDown') return
              event.preventDefault()
              focusFirstRow(body.current)
            }}
          />
          <PageSize value={answer.length} onChange={(length) => go({ length, searchText: text })} />
        </BarEnd>
      </Bar>
      {answer.rows.length > 0 ? (
        <Table
          label={label}
          columns={columns}
          rows={answer.rows}
          rowKey={rowKey}
          rowHref={rowHref}
          struck={struck}
          loading={slow}
          body={body}
        />
      ) : filtered ? (
        <EmptyState
          title="Nothing matches"
          hint="No record has this status and begins with this text."
          action={
            <Button
              variant="default"
              onClick={() => {
                setText('')
                go({ status: '', searchText: '' })
              }}
            >
              Clear filters
            </Button>
          }
        />
      ) : (
        <EmptyState {...empty} />
      )}
      <Footer
        page={answer.page}
        length={answer.length}
        count={answer.count}
        shown={answer.rows.length}
        onPage={(page) => go({ page })}
      />
    </section>
  )
}
