import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react'
import { router, usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { onSuccessfulCall } from '~/api_call'
import { useLiveProps } from '~/components/live/use_live_props'
import { isBackNavigation } from '~/browser_history'
import type { ListPageProps, SharedProps } from '~/types'
import { EmptyState } from '@ui/empty_state'
import { useDelayed } from '@ui/use_delayed'
import { Toolbar, ToolbarEnd, PageSizeSelect, SearchBox, SortSelect, StatusFilter } from './toolbar'
import { CardGrid, type CardSection } from './card_grid'
import { Filters, type FilterField } from './filters'
import { Footer } from './footer'
import {
  hasNoListParams,
  PAGE_SIZES,
  loadListState,
  isSameListState,
  saveListState,
  listStateFromProps,
  listStorageKey,
  listQuery,
  type ListState,
} from './list_state'
import { focusFirstRow, Table, type Column } from './table'

export interface ListProps<Row> {
  path: string
  /** URL parameters that are not part of the list's state, such as the tab that shows the list. */
  query?: Record<string, string>
  /** Name under which the list's state is saved, for example `project`. Each area has a separate state. */
  name: string
  answer: ListPageProps<Row>
  /** The accessible name, for example "Projects". */
  label: string
  /** Label of the button that shows all statuses, for example "All Projects". */
  all: string
  searchLabel?: string
  columns?: Column<Row>[]
  /** Renders a row as a card, for lists without `columns`. */
  card?: (row: Row) => ReactNode
  sections?: CardSection<Row>[]
  /** Labels by sort key, for a list of cards. A table gets its sort keys from its columns. */
  sorts?: Record<string, string>
  filters?: FilterField[]
  rowKey: (row: Row) => string | number
  rowHref?: (row: Row) => string | null
  struck?: (row: Row) => boolean
  /** Renders the content of an expanded row. */
  details?: (row: Row) => ReactNode
  /** Shown when the list has no entries at all. `action` offers the next step. */
  empty: { title: string; hint?: string; action?: ReactNode }
  /** Shown when no entry matches the filters or the search. */
  nothing?: string
  /** Props of the page to reload. Default: `rows` and `statuses`. */
  props?: string[]
  /** Topics of the change stream, such as `project`. A change of one reloads the list. */
  live?: string[]
  /** Minimum milliseconds between two reloads, for data that changes all the time. */
  rest?: number
}

const SEARCH_DEBOUNCE_MS = 250
const LIST_PROPS = [
  'page',
  'length',
  'count',
  'more',
  'counts',
  'apart',
  'status',
  'search',
  'sort',
  'filters',
]
const initialState = {
  page: 1,
  length: PAGE_SIZES[0],
  status: '',
  searchText: '',
  sort: '',
  filters: {},
}

/**
 * Each change of page, filter or search is a partial visit `GET {path}?page&length&status&search` that keeps focus and
 * state. After a change of the page, it scrolls up to the list's start. The URL always describes the shown rows, and
 * Back undoes one change.
 */
export function List<Row>(props: ListProps<Row>) {
  const { path, query, name, answer, label, all, searchLabel = 'Search by name' } = props
  const { columns, card, sections, filters = [], rowKey, rowHref, struck, details, empty } = props
  const only = [...LIST_PROPS, ...(props.props ?? ['rows', 'statuses']), 'errors']
  const { url, props: shared } = usePage<SharedProps>()
  const key = listStorageKey(shared.area, name)
  const shown = listStateFromProps(answer)
  /** Text in the search box. `null` means that it shows the search text of the URL. */
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? shown.searchText
  const [loading, setLoading] = useState(false)
  const wanted = useRef<ListState>(shown)
  /** Whether the person is typing. All keystrokes of a search share one history entry. */
  const typing = useRef(false)
  const visiting = useRef(false)
  const own = useRef<(() => void) | null>(null)
  const top = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const slow = useDelayed(loading)
  const sorts = props.sorts ?? sortLabels(columns)

  const go = (change: Partial<ListState>, { replace = false, byTyping = false } = {}) => {
    const before = wanted.current
    wanted.current = { ...before, page: 1, ...change }
    visiting.current = true
    saveListState(key, wanted.current)
    const again = isSameListState(before, wanted.current)
    router.get(
      path,
      { ...query, ...listQuery(wanted.current) },
      {
        only,
        preserveState: true,
        preserveScroll: true,
        replace: replace || again || (byTyping && typing.current),
        onStart: () => setLoading(true),
        onCancelToken: ({ cancel }) => (own.current = cancel),
        onFinish: (visit) => {
          own.current = null
          if (visit.interrupted) return
          visiting.current = false
          setLoading(false)
        },
        onSuccess: () => {
          const above = (top.current?.getBoundingClientRect().top ?? 0) < 0
          if (above && before.page !== wanted.current.page)
            top.current?.scrollIntoView({ block: 'start' })
        },
        onNetworkError: () => setLoading(false),
      }
    )
    typing.current = byTyping
  }

  const search = useDebouncedCallback(
    (searchText: string) => go({ searchText }, { byTyping: true }),
    SEARCH_DEBOUNCE_MS
  )

  // Cancels a pending search when another page is visited. Otherwise the search's result would replace that page.
  const leave = useEffectEvent((to: { url: URL; async?: boolean; prefetch?: boolean }) => {
    if (to.async || to.prefetch || to.url.pathname === path) return
    search.cancel()
    own.current?.()
  })
  useEffect(() => router.on('before', ({ detail: { visit } }) => leave(visit)), [])

  const comeBack = useEffectEvent(() => {
    const saved =
      hasNoListParams(
        url,
        filters.map((field) => field.name)
      ) &&
      !isBackNavigation() &&
      loadListState(key)
    if (!saved || isSameListState(saved, shown)) return saveListState(key, shown)
    go(saved, { replace: true })
  })
  useEffect(() => comeBack(), [])

  // Takes over the list's state from the URL after a form or a link has changed the URL.
  const follow = useEffectEvent(() => {
    if (visiting.current || isSameListState(shown, wanted.current)) return
    wanted.current = shown
    saveListState(key, shown)
  })
  useEffect(() => follow(), [url])

  const showNewest = useEffectEvent(() => {
    setTyped(null)
    go({ ...initialState, length: wanted.current.length })
  })
  // Removes the filters when a record is created, so that the list shows it.
  const store = `${path.replace(/\/list$/, '')}/store`
  useEffect(() => onSuccessfulCall(store, () => showNewest()), [store])

  useLiveProps(props.live ?? [], only, { rest: props.rest })

  const { apart, counts } = answer
  const total =
    counts &&
    Object.entries(counts)
      .filter(([status]) => !apart.includes(status))
      .reduce((sum, [, count]) => sum + count, 0)
  const filtered = Boolean(
    shown.status || shown.searchText || Object.keys(shown.filters).length > 0
  )
  const sortBy = (sort: string) => go({ sort, searchText: text })

  return (
    <section aria-label={label} ref={top}>
      <Toolbar>
        <StatusFilter
          statuses={answer.statuses}
          counts={counts ?? undefined}
          total={total ?? undefined}
          all={all}
          value={shown.status}
          onChange={(status) => go({ status, searchText: text })}
        />
        <ToolbarEnd>
          <SearchBox
            label={searchLabel}
            value={text}
            onChange={(value) => {
              setTyped(value)
              search(value)
            }}
            onBlur={() => {
              typing.current = false
              if (typed?.trim() === shown.searchText) setTyped(null)
            }}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowDown') return
              event.preventDefault()
              focusFirstRow(body.current)
            }}
          />
          {Object.keys(sorts).length > 0 && (
            <SortSelect sorts={sorts} value={shown.sort} onChange={sortBy} always={!columns} />
          )}
          <PageSizeSelect
            value={answer.length}
            onChange={(length) => go({ length, searchText: text })}
          />
        </ToolbarEnd>
      </Toolbar>
      {filters.length > 0 && (
        <Filters
          fields={filters}
          values={shown.filters}
          onChange={(change) => go({ filters: change, searchText: text })}
        />
      )}
      {answer.rows.length > 0 ? (
        columns ? (
          <Table
            label={label}
            columns={columns}
            rows={answer.rows}
            rowKey={rowKey}
            rowHref={rowHref}
            struck={struck}
            details={details}
            sort={shown.sort}
            onSort={sortBy}
            loading={slow}
            body={body}
          />
        ) : (
          <CardGrid
            rows={answer.rows}
            rowKey={rowKey}
            card={card!}
            sections={sections}
            loading={slow}
          />
        )
      ) : filtered ? (
        <EmptyState
          title={props.nothing ?? 'No results'}
          hint="No entry matches this filter and search."
          action={
            <Button
              variant="default"
              onClick={() => {
                setTyped(null)
                go({ status: '', searchText: '', filters: {} })
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
        more={answer.more}
        shown={answer.rows.length}
        onPage={(page) => go({ page })}
      />
    </section>
  )
}

function sortLabels<Row>(columns: Column<Row>[] = []): Record<string, string> {
  return Object.fromEntries(columns.flatMap(({ sort, label }) => (sort ? [[sort, label]] : [])))
}
