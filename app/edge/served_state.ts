import { subscribe } from '#core/live/live_events'

export interface ServedState {
  version: string
  ids: Set<string>
  /** Ids of domains on other hosts that do not work yet, or have no forwarded port yet. */
  unsettled: Set<string>
  /** Time in ms since 1970. */
  at: number
}

/** Published by a database trigger when a change affects the served domains (migration 0093). */
const EDGE_CHANGED_TOPIC = 'edge:changed'
/** Limits the age of the cache in case a notification is lost. */
const MAX_CACHE_AGE_MS = 5 * 60_000

let lastServedState: ServedState | null = null
let following: Promise<unknown> | undefined

/** Returns the cached state, or null if everything must be read again. */
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
 * Call it before reading the database. The returned function saves the new state, unless the
 * database changed in the meantime.
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
