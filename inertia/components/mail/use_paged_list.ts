import { useState } from 'react'
import { useDebouncedValue } from '@mantine/hooks'
import type { PageHref } from '#core/page_addresses'
import { useFetch } from '~/components/use_fetch'

const SEARCH_DEBOUNCE_MS = 250

export function usePagedList<T>(href: string, narrow = '') {
  const [page, setPage] = useState(1)
  const [search, setSearch] = useState('')
  const [cursor, keep] = useState('')
  const [searched] = useDebouncedValue(search, SEARCH_DEBOUNCE_MS)
  const query = new URLSearchParams({ page: String(page) })
  if (searched) query.set('search', searched)
  if (narrow && cursor) query.set(narrow, cursor)
  const read = useFetch<T>(`${href}${href.includes('?') ? '&' : '?'}${query}` as PageHref)
  return {
    ...read,
    page,
    setPage,
    search,
    narrowed: cursor,
    setSearch: (text: string) => {
      setPage(1)
      setSearch(text)
    },
    narrowTo: (value: string) => {
      setPage(1)
      keep(value)
    },
  }
}
