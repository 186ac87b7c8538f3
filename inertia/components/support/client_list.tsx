import { useCallback, useEffect, useEffectEvent, useState } from 'react'
import { DateText } from '@ui/date_text'
import { useNow } from '@ui/use_now'
import { call } from '~/api_call'
import { SearchBox, StatusFilter } from '~/components/list/toolbar'
import { Footer } from '~/components/list/footer'
import {
  PAGE_SIZES,
  loadListState,
  saveListState,
  type ListState,
} from '~/components/list/list_state'
import { affectsTopics, useChangeStream } from '~/components/live/use_change_stream'
import { elapsedLabel } from './elapsed_label'
import { POLL_INTERVAL_MS } from './conversation_store'
import type { ClientList as List, MessageSearchResult } from './types'
import styles from './support.module.css'

/** Storage key that the specification requires (docs/conformance.md, A2.105). */
const STORAGE_KEY = 'client_pagination'
const SEARCH_DEBOUNCE_MS = 250
const initialState: ListState = {
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

export function ClientList({ selected, onSelect }: ClientListProps) {
  const [search, setSearch] = useState<ListState | null>(null)
  const [list, setList] = useState<List | null>(null)
  const [matches, setMatches] = useState<MessageSearchResult[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const now = useNow(10_000)

  const comeBack = useEffectEvent(() => setSearch(loadListState(STORAGE_KEY) ?? initialState))
  useEffect(() => {
    const timer = window.setTimeout(() => comeBack(), 0)
    return () => window.clearTimeout(timer)
  }, [])

  const read = useCallback(async (state: ListState, signal?: AbortSignal) => {
    const { page, length, status, searchText: search } = state
    const data = { page, length, status, search }
    const [listed, searched] = await Promise.all([
      call<List>('/admin/live-support/client-list', {
        method: 'GET',
        data,
        toasts: 'none',
        signal,
      }),
      search.trim().length > 1
        ? call<{ found: MessageSearchResult[] }>('/admin/live-support/search', {
            method: 'GET',
            data: { text: search },
            toasts: 'none',
            signal,
          })
        : null,
    ])
    if (signal?.aborted) return
    const failed = [listed, searched].find((answer) => answer && !answer.success)
    setProblem(failed ? failed.message : null)
    if (listed.data) setList(listed.data)
    if (!searched || searched.data) setMatches(searched?.data?.found ?? [])
  }, [])

  useEffect(() => {
    if (!search) return
    saveListState(STORAGE_KEY, search)
    const leaving = new AbortController()
    const timer = window.setTimeout(() => void read(search, leaving.signal), SEARCH_DEBOUNCE_MS)
    const poll = window.setInterval(() => void read(search, leaving.signal), POLL_INTERVAL_MS)
    return () => {
      leaving.abort()
      window.clearTimeout(timer)
      window.clearInterval(poll)
    }
  }, [search, read])
  useChangeStream((changes) => {
    if (search && affectsTopics(changes, ['support'])) void read(search)
  })

  const go = (change: Partial<ListState>) => search && setSearch({ ...search, page: 1, ...change })
  const { waits } = list ?? {}
  return (
    <section className={styles.clients} aria-label="Clients">
      <SearchBox
        label="Search clients and messages"
        value={search?.searchText ?? ''}
        onChange={(searchText) => go({ searchText })}
      />
      <StatusFilter
        statuses={list?.clientStatus ?? {}}
        counts={list?.counts}
        all="All"
        value={search?.status ?? ''}
        onChange={(status) => go({ status })}
      />
      {waits && (
        <p className={styles.waits}>
          {waits.waiting === 0 ? 'Nobody is waiting' : `${waits.waiting} waiting`}
          {waits.longest_since &&
            now > 0 &&
            `, the longest for ${elapsedLabel(waits.longest_since, now)}`}
          {waits.median_seconds !== null &&
            `. Median time to reply (last 7 days): ${elapsedLabel(0, waits.median_seconds * 1000)}.`}
        </p>
      )}
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}{' '}
          <button type="button" onClick={() => search && void read(search)}>
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
                {client.waiting_since && now > 0 && ` ${elapsedLabel(client.waiting_since, now)}`}
                {client.assigned_to && ` · ${client.assigned_to.name}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
      {list && list.clients.length === 0 && <p className={styles.calm}>-- Empty --</p>}
      {matches.length > 0 && (
        <>
          <h3>Messages</h3>
          <ul aria-label="Messages found">
            {matches.map(({ client_id, name, sequence, text, at }) => (
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
