import { subscribe } from '#core/live/live_events'

export interface ServedState {
  version: string
  ids: Set<string>
  /** Ids of domains on other hosts that do not work yet. */
  unsettled: Set<string>
  /** Time of the update in ms since 1970. */
  at: number
}

/**
 * Topic that a database trigger publishes when a change affects the served domains (migration
 * 0093).
 */
const EDGE_CHANGED_TOPIC = 'edge:changed'
/** The cached state expires after this time, because a notification may be lost. */
const MAX_CACHE_AGE_MS = 5 * 60_000

let lastServedState: ServedState | null = null
let following: Promise<unknown> | undefined

/** Returns the cached state. Null: the domains must be read from the database again. */
export async function cachedServedState(): Promise<ServedState | null> {
  following ??= subscribe(EDGE_CHANGED_TOPIC, resetServedState).catch((error: unknown) => {
    following = undefined
    throw error
  })
  await following
  return lastServedState && Date.now() - lastServedState.at < MAX_CACHE_AGE_MS
    ? lastServedState
    : null
}

/**
 * Starts an update of the cached state. Call it before reading the database. The returned function
 * saves the new state, unless the database has changed since.
 */
export function beginServedStateUpdate(): (serving: Omit<ServedState, 'at'>) => void {
  const mine: ServedState = { version: '', ids: new Set(), unsettled: new Set(), at: 0 }
  lastServedState = mine
  return (serving) => {
    if (lastServedState === mine) lastServedState = { ...serving, at: Date.now() }
  }
}

export function resetServedState(): void {
  lastServedState = null
}
