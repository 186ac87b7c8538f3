/** A message on its way. Its files are up already, so that it survives a reload. */
export interface UnsentMessage {
  key: string
  text: string
  photos: string
  docs: string
  names: string[]
  page: string | null
  state: 'sending' | 'failed'
  /** Why it failed, in words. */
  problem: string
}

interface UnsentMessages {
  draft: string
  pending: UnsentMessage[]
}

const storageKeyPrefix = (me: number) => `support:${me}:`

/** As what this browser keeps that of a person and a customer's conversation. */
export const storageKeyFor = ({ me, client }: { me: number; client: number }) =>
  `${storageKeyPrefix(me)}${client}`

/** Keeps what is typed and on its way until there is nothing of it any more. */
export function saveUnsentMessages(key: string, { draft, pending }: UnsentMessages): void {
  try {
    if (draft || pending.length) {
      window.localStorage.setItem(key, JSON.stringify({ draft, pending }))
    } else window.localStorage.removeItem(key)
  } catch {
    // It lives in this page then.
  }
}

/** What was typed and not sent before the page was loaded anew; sent again by its key. */
export function loadUnsentMessages(key: string): UnsentMessages {
  try {
    const saved = JSON.parse(window.localStorage.getItem(key) ?? '{}') as Partial<UnsentMessages>
    const pending = Array.isArray(saved.pending) ? saved.pending : []
    return {
      draft: typeof saved.draft === 'string' ? saved.draft : '',
      pending: pending
        .filter((one) => typeof one?.key === 'string')
        .map((one) => ({ ...one, state: 'sending' as const, problem: '' })),
    }
  } catch {
    return { draft: '', pending: [] }
  }
}

/** The customers in whose conversations something of this person's waits to be sent. */
export function clientIdsWithUnsentMessages(me: number): number[] {
  try {
    return Object.keys(window.localStorage)
      .filter(
        (key) => key.startsWith(storageKeyPrefix(me)) && loadUnsentMessages(key).pending.length > 0
      )
      .map((key) => Number(key.slice(storageKeyPrefix(me).length)))
  } catch {
    return []
  }
}
