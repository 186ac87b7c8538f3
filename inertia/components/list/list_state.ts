import type { Area, ListMeta } from '~/types'

/** What is kept of a list in session storage, under a key of its own. */
export interface ListState {
  page: number
  length: number
  /** '' means all */
  status: string
  searchText: string
  /** a column's key, `-` before it for downwards; '' means the list's own order */
  sort: string
  /** further filters by their names */
  filters: Record<string, string>
}

export const PAGE_SIZES = [50, 100, 250, 500]

/** The key under which an area keeps a list: `project-pagination`, `admin-project-pagination`. */
export function listStorageKey(area: Area, name: string) {
  return `${area === 'admin' ? 'admin-' : ''}${name}-pagination`
}

/** What a list shows now, by what the server made of the address. */
export function listStateFromProps(listProps: ListMeta): ListState {
  const { page, length, status, search, sort, filters } = listProps
  return { page, length, status, searchText: search, sort, filters }
}

/** The query of a list page, as the specification names it. */
export function listQuery({ page, length, status, searchText, sort, filters }: ListState) {
  return { page, length, status, search: searchText, ...(sort && { sort }), ...filters }
}

/** Whether an address says nothing of which part of a list is meant. */
export function hasNoListParams(url: string, filters: string[]) {
  const query = new URL(url, 'http://list').searchParams
  const names = ['page', 'length', 'status', 'search', 'sort', ...filters]
  return !names.some((name) => query.has(name))
}

function stringOrEmpty(value: unknown) {
  return typeof value === 'string' ? value : ''
}

/** The state saved under a key, or null when there is none that can be trusted. */
export function loadListState(key: string): ListState | null {
  try {
    const saved: unknown = JSON.parse(window.sessionStorage.getItem(key) ?? 'null')
    if (typeof saved !== 'object' || saved === null) return null
    const { page, length, status, searchText, sort, filters } = saved as Partial<
      Record<keyof ListState, unknown>
    >
    if (!Number.isSafeInteger(page) || Number(page) < 1) return null
    if (!PAGE_SIZES.includes(Number(length))) return null
    const texts = Object.entries(filters ?? {}).filter(([, value]) => typeof value === 'string')
    return {
      page: Number(page),
      length: Number(length),
      status: stringOrEmpty(status),
      searchText: stringOrEmpty(searchText),
      sort: stringOrEmpty(sort),
      filters: Object.fromEntries(texts) as Record<string, string>,
    }
  } catch {
    return null
  }
}

/** Saves the state of a list for this tab. A full or forbidden store is no reason to fail. */
export function saveListState(key: string, state: ListState) {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(state))
  } catch {
    // the list works without it
  }
}

export function isSameListState(one: ListState, other: ListState) {
  return JSON.stringify(listQuery(one)) === JSON.stringify(listQuery(other))
}
