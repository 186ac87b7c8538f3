import { useCallback, useEffect, useEffectEvent, useState } from 'react'
import { DateText } from '@ui/date_text'
import { useNow } from '@ui/use_now'
import { call } from '~/api_call'
import { SearchBox, StatusFilter } from '~/components/list/bar'
import { Footer } from '~/components/list/footer'
import { PAGE_SIZES, restore, save, type ListState } from '~/components/list/state'
import { concerns, useChanges } from '~/components/live/use_changes'
import { since } from './wait_label'
import { POLL_INTERVAL_MS } from './conversation'
import type { ClientList as List, Found } from './types'
import styles from './support.module.css'

/** Where the list's page, length, status and search are kept (product, "Live support"). */
const STORAGE_KEY = 'client_pagination'
const SEARCH_DEBOUNCE_MS = 250
const first: ListState = {
  page: 1,
  length: PAGE_SIZES[0],
  status: '',
  searchText: '',
  sort: '',
  filters: {},
}

interface ClientListProps {
  selected: number | null
  onSelect: (client: { client_id: number; name: string }, at?: number) => void
}

/** Who wrote, unread ones marked; below, what the searched words are found in. */
export function ClientList({ selected, onSelect }: ClientListProps) {
  const [asked, setAsked] = useState<ListState | null>(null)
  const [list, setList] = useState<List | null>(null)
  const [found, setFound] = useState<Found[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const now = useNow(10_000)

  const comeBack = useEffectEvent(() => setAsked(restore(STORAGE_KEY) ?? first))
  useEffect(() => {
    const timer = window.setTimeout(() => comeBack(), 0)
    return () => window.clearTimeout(timer)
  }, [])

  const read = useCallback(async (state: ListState, signal?: AbortSignal) => {
    const { page, length, status, searchText: search } = state
    const data = { page, length, status, search }
    const [listed, said] = await Promise.all([
      call<List>('/admin/live-support/client-list', {
        method: 'GET',
        data,
        toasts: 'none',
        signal,
      }),
      search.trim().length > 1
        ? call<{ found: Found[] }>('/admin/live-support/search', {
            method: 'GET',
            data: { text: search },
            toasts: 'none',
            signal,
          })
        : null,
    ])
    if (signal?.aborted) return
    const failed = [listed, said].find((answer) => answer && !answer.success)
    setProblem(failed ? failed.message : null)
    if (listed.data) setList(listed.data)
    if (!said || said.data) setFound(said?.data?.found ?? [])
  }, [])

  useEffect(() => {
    if (!asked) return
    save(STORAGE_KEY, asked)
    const leaving = new AbortController()
    const timer = window.setTimeout(() => void read(asked, leaving.signal), SEARCH_DEBOUNCE_MS)
    const poll = window.setInterval(() => void read(asked, leaving.signal), POLL_INTERVAL_MS)
    return () => {
      leaving.abort()
      window.clearTimeout(timer)
      window.clearInterval(poll)
    }
  }, [asked, read])
  useChanges((changes) => {
    if (asked && concerns(changes, ['support'])) void read(asked)
  })

  const go = (change: Partial<ListState>) => asked && setAsked({ ...asked, page: 1, ...change })
  const { waits } = list ?? {}
  return (
    <section className={styles.clients} aria-label="Clients">
      <SearchBox
        label="Search clients and messages"
        value={asked?.searchText ?? ''}
        onChange={(searchText) => go({ searchText })}
      />
      <StatusFilter
        statuses={list?.clientStatus ?? {}}
        counts={list?.counts}
        all="All"
        value={asked?.status ?? ''}
        onChange={(status) => go({ status })}
      />
      {waits && (
        <p className={styles.waits}>
          {waits.waiting === 0 ? 'Nobody is waiting' : `${waits.waiting} waiting`}
          {waits.longest_since && now > 0 && `, the longest for ${since(waits.longest_since, now)}`}
          {waits.median_seconds !== null &&
            `. Median time to reply (last 7 days): ${since(0, waits.median_seconds * 1000)}.`}
        </p>
      )}
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}{' '}
          <button type="button" onClick={() => asked && void read(asked)}>
            Retry
          </button>
        </p>
      )}
      <ul>
        {list?.clients.map((client) => (
          <li key={client.client_id}>
            <button
              type="button"
              aria-current={client.client_id === selected || undefined}
              data-unread={client.unread > 0 || undefined}
              onClick={() => onSelect(client)}
            >
              <span className={styles.who}>
                <small className="mono">{client.client_id}</small>
                <b>{client.name}</b>
                {client.unread > 0 && (
                  <span className={styles.count}>
                    {client.unread}
                    <span className="visually-hidden"> unread</span>
                  </span>
                )}
              </span>
              <span className={styles.last} title={client.last_text}>
                {client.last_text}
              </span>
              <small>
                {list.clientStatus[client.status]}
                {client.waiting_since && now > 0 && ` ${since(client.waiting_since, now)}`}
                {client.assigned_to && ` · ${client.assigned_to.name}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
      {list && list.clients.length === 0 && <p className={styles.calm}>-- Empty --</p>}
      {found.length > 0 && (
        <>
          <h3>Messages</h3>
          <ul aria-label="Messages found">
            {found.map(({ client_id, name, sequence, text, at }) => (
              <li key={`${client_id}-${sequence}`}>
                <button type="button" onClick={() => onSelect({ client_id, name }, sequence)}>
                  <b>{name}</b>
                  <span className={styles.last} title={text}>
                    {text}
                  </span>
                  <small>
                    <DateText value={at} shape="staff" />
                  </small>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {list && (
        <Footer
          page={list.page}
          length={list.length}
          count={list.count}
          shown={list.clients.length}
          onPage={(page) => go({ page })}
        />
      )}
    </section>
  )
}
