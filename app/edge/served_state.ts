import { subscribe } from '#core/live/live_events'

/** What the edge was told last. */
export interface ServedState {
  /** Its name for that configuration. */
  version: string
  /** The domains that it serves. */
  ids: Set<string>
  /** Those on other hosts that do not work yet, or to which no port leads yet. */
  unsettled: Set<string>
  /** When that was, in milliseconds since 1970. */
  at: number
}

/** Told at the commit of whatever changes what is served (migration 0093). */
const EDGE_CHANGED_TOPIC = 'edge:changed'
/** From time to time all is read again, whatever was told. */
const MAX_CACHE_AGE_MS = 5 * 60_000

let lastServedState: ServedState | null = null
let following: Promise<unknown> | undefined

/** What the edge serves, as long as nothing that it comes from has changed; null to read all anew. */
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

/** Call before reading: what changes meanwhile is not missed. */
export function prepareServedStateSave(): (serving: Omit<ServedState, 'at'>) => void {
  const mine: ServedState = { version: '', ids: new Set(), unsettled: new Set(), at: 0 }
  lastServedState = mine
  return (serving) => {
    if (lastServedState === mine) lastServedState = { ...serving, at: Date.now() }
  }
}

/** Has all read anew with the next round. */
export function resetServedState(): void {
  lastServedState = null
}
