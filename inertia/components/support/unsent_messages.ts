/** The message's files are already uploaded, so that a reload does not lose them. */
export interface UnsentMessage {
  key: string
  text: string
  photos: string
  docs: string
  names: string[]
  page: string | null
  state: 'sending' | 'failed'
  problem: string
}

interface UnsentMessages {
  draft: string
  pending: UnsentMessage[]
}

const storageKeyPrefix = (me: number) => `support:${me}:`

export const storageKeyFor = ({ me, client }: { me: number; client: number }) =>
  `${storageKeyPrefix(me)}${client}`

/** Deletes the entry in local storage when both draft and pending messages are empty. */
export function saveUnsentMessages(key: string, { draft, pending }: UnsentMessages): void {
  try {
    if (draft || pending.length) {
      window.localStorage.setItem(key, JSON.stringify({ draft, pending }))
    } else window.localStorage.removeItem(key)
  } catch {
    // Local storage is full or forbidden. The messages exist only until the page is closed.
  }
}

/** Failed messages are tried again. If a message is sent twice, the server recognises it by its key. */
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
