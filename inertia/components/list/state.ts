/** What is kept of a list in session storage, under a key of its own. */
export interface ListState {
  page: number
  length: number
  /** '' means all */
  status: string
  searchText: string
}

export const PAGE_SIZES = [50, 100, 250, 500]

/** Which part of a list an address asks for; what it does not say comes from `known`. */
export function fromUrl(url: string, known: { page: number; length: number }): ListState {
  const query = new URL(url, 'http://list').searchParams
  return {
    page: known.page,
    length: known.length,
    status: query.get('status') ?? '',
    searchText: query.get('search') ?? '',
  }
}

/** The query of a list page, as the specification names it. */
export function toQuery({ page, length, status, searchText }: ListState) {
  return { page, length, status, search: searchText }
}

/** The state saved under a key, or null when there is none that can be trusted. */
export function restore(key: string): ListState | null {
  try {
    const saved: unknown = JSON.parse(window.sessionStorage.getItem(key) ?? 'null')
    if (typeof saved !== 'object' || saved === null) return null
    const { page, length, status, searchText } = saved as Partial<Record<keyof ListState, unknown>>
    if (!Number.isSafeInteger(page) || Number(page) < 1) return null
    if (!PAGE_SIZES.includes(Number(length))) return null
    return {
      page: Number(page),
      length: Number(length),
      status: typeof status === 'string' ? status : '',
      searchText: typeof searchText === 'string' ? searchText : '',
    }
  } catch {
    return null
  }
}

/** Saves the state of a list for this tab. A full or forbidden store is no reason to fail. */
export function save(key: string, state: ListState) {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(state))
  } catch {
    // the list works without it
  }
}

export function sameState(one: ListState, other: ListState) {
  return (
    one.page === other.page &&
    one.length === other.length &&
    one.status === other.status &&
    one.searchText === other.searchText
  )
}
