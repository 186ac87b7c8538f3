/** A message on its way. Its files are up already, so that it survives a reload. */
export interface Pending {
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

interface Kept {
  draft: string
  pending: Pending[]
}

const prefixOf = (me: number) => `support:${me}:`

/** As what this browser keeps that of a person and a customer's conversation. */
export const keyOf = ({ me, client }: { me: number; client: number }) => `${prefixOf(me)}${client}`

/** Keeps what is typed and on its way until there is nothing of it any more. */
export function keepMessages(key: string, { draft, pending }: Kept): void {
  try {
    if (draft || pending.length) {
      window.localStorage.setItem(key, JSON.stringify({ draft, pending }))
    } else window.localStorage.removeItem(key)
  } catch {
    // It lives in this page then.
  }
}

/** What was typed and not sent before the page was loaded anew; sent again by its key. */
export function loadStoredMessages(key: string): Kept {
  try {
    const saved = JSON.parse(window.localStorage.getItem(key) ?? '{}') as Partial<Kept>
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
export function waitingOf(me: number): number[] {
  try {
    return Object.keys(window.localStorage)
      .filter((key) => key.startsWith(prefixOf(me)) && loadStoredMessages(key).pending.length > 0)
      .map((key) => Number(key.slice(prefixOf(me).length)))
  } catch {
    return []
  }
}
