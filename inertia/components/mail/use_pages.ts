import { useState } from 'react'
import { useDebouncedValue } from '@mantine/hooks'
import type { Address } from '#core/page_addresses'
import { useRead } from '~/components/vault/use_read'

const SEARCH_DEBOUNCE_MS = 250

/** A list within a page: read page by page, searched and narrowed by one more value. */
export function usePages<T>(href: string, narrow = '') {
  const [page, setPage] = useState(1)
  const [search, setSearch] = useState('')
  const [kept, keep] = useState('')
  const [searched] = useDebouncedValue(search, SEARCH_DEBOUNCE_MS)
  const query = new URLSearchParams({ page: String(page) })
  if (searched) query.set('search', searched)
  if (narrow && kept) query.set(narrow, kept)
  const read = useRead<T>(`${href}${href.includes('?') ? '&' : '?'}${query}` as Address)
  return {
    ...read,
    page,
    setPage,
    search,
    narrowed: kept,
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
