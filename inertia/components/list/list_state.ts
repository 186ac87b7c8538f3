import type { Area, ListMeta } from '~/types'

/** State of a list in its URL and in session storage. */
export interface ListState {
  page: number
  length: number
  /** '' means all statuses. */
  status: string
  searchText: string
  /** Sort key, with `-` before it for descending order. '' is the list's default order. */
  sort: string
  filters: Record<string, string>
}

export const PAGE_SIZES = [50, 100, 250, 500]

/** Returns the storage key of a list's state, such as `project-pagination` or `admin-project-pagination`. */
export function listStorageKey(area: Area, name: string) {
  return `${area === 'admin' ? 'admin-' : ''}${name}-pagination`
}

export function listStateFromProps(listProps: ListMeta): ListState {
  const { page, length, status, search, sort, filters } = listProps
  return { page, length, status, searchText: search, sort, filters }
}

/** Returns the URL query of a list's state, with the parameter names that the specification requires. */
export function listQuery({ page, length, status, searchText, sort, filters }: ListState) {
  return { page, length, status, search: searchText, ...(sort && { sort }), ...filters }
}

export function hasNoListParams(url: string, filters: string[]) {
  const query = new URL(url, 'http://list').searchParams
  const names = ['page', 'length', 'status', 'search', 'sort', ...filters]
  return !names.some((name) => query.has(name))
}

function stringOrEmpty(value: unknown) {
  return typeof value === 'string' ? value : ''
}

/** Returns null if no state is saved, or if it is invalid. */
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

export function saveListState(key: string, state: ListState) {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(state))
  } catch {}
}

export function isSameListState(one: ListState, other: ListState) {
  return JSON.stringify(listQuery(one)) === JSON.stringify(listQuery(other))
}
