import type { ChangeMessage } from '#core/contracts/change_message'

import { checkSignedOut, isSignedOut, onSignedOutChange } from '~/signed_out'

export type { ChangeMessage }

type Listener = (changes: ChangeMessage) => void

const MIN_RETRY_DELAY_MS = 1_000
const MAX_RETRY_DELAY_MS = 60_000
const HIDDEN_TIMEOUT_MS = 10_000
/** If nobody is subscribed, the stream stays open for this time, because the next page usually subscribes too. */
const UNSUBSCRIBED_TIMEOUT_MS = 2_000

/**
 * Time for which changes are remembered, for pages that were prefetched before them. Longer than prefetched pages are
 * cached (`cacheFor` in `app.tsx`).
 */
const PREFETCH_WINDOW_MS = 60_000

/** Value of `EventSource.CLOSED`. In `onerror` it means that the server has rejected the request. */
const SOURCE_CLOSED = 2

const listeners = new Set<Listener>()
let streamUrl = ''
/** Person and account (`7:3`) of the current events. Other people must not get them. */
let subscribedPerson = ''
let source: EventSource | undefined
/**
 * Position in the stream ("mark") of the last message, or of the first page. A new connection requests the messages
 * after it.
 */
let lastMark = ''
let tries = 0
/** Recent changes. If a page was prefetched before a change and is shown after it, the page still gets the change. */
let recentChanges: { mark: string; at: number; changed: string[] | null }[] = []
let timer: number | undefined

/**
 * Calls the listener for changes on the server that this person may see. Each browser tab has one event stream. The
 * stream reconnects after failures and when a background tab becomes visible, and then requests missed messages.
 * `mark` is the position in the stream at which the page was rendered. The listener is called immediately for recent
 * changes after this position. Returns a function that unsubscribes.
 */
export function subscribeToChanges(
  { address: wanted, person, mark }: { address: string; person: string; mark: string },
  listener: Listener
): () => void {
  if (streamUrl !== wanted || subscribedPerson !== person) {
    close()
    streamUrl = wanted
    subscribedPerson = person
    lastMark = mark
    tries = 0
    recentChanges = []
  }
  lastMark ||= mark
  listeners.add(listener)
  if (listeners.size === 1) document.addEventListener('visibilitychange', onVisibility)
  if (document.hidden) closeSoon(HIDDEN_TIMEOUT_MS)
  else connect()
  const missed = changesAfter(mark)
  if (missed) listener({ ...missed, passing: [], operations: [] })
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    document.removeEventListener('visibilitychange', onVisibility)
    closeSoon(UNSUBSCRIBED_TIMEOUT_MS)
  }
}

function connect() {
  window.clearTimeout(timer)
  timer = undefined
  if (source || isSignedOut()) return
  const own = new EventSource(
    `${streamUrl}${lastMark ? `?since=${encodeURIComponent(lastMark)}` : ''}`
  )
  source = own
  own.onopen = () => (tries = 0)
  own.onmessage = (event: MessageEvent<string>) => {
    if (event.lastEventId) lastMark = event.lastEventId
    const changes = JSON.parse(event.data) as ChangeMessage
    const at = Date.now()
    recentChanges = recentChanges.filter((change) => at - change.at < PREFETCH_WINDOW_MS)
    recentChanges.push({ mark: event.lastEventId, at, changed: changes.changed })
    for (const listener of [...listeners]) listener(changes)
  }
  own.onerror = () => {
    if (source !== own) return
    const isRejected = own.readyState === SOURCE_CLOSED
    close()
    if (isRejected) {
      const area = streamUrl.startsWith('/admin/') ? 'admin' : 'customer'
      void checkSignedOut(area, subscribedPerson.split(':')[0])
    }
    const wait = Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** tries++)
    // A random delay keeps tabs from reconnecting all at once after a server restart.
    timer = window.setTimeout(connect, wait * (0.5 + Math.random()))
  }
}

/**
 * Returns the recent changes after a mark. If the mark comes from another server process, returns all recent changes,
 * because such marks cannot be compared.
 */
function changesAfter(mark: string): Pick<ChangeMessage, 'changed'> | null {
  const [of, count] = mark.split(':')
  const missed = recentChanges.filter((change) => {
    const [stream, eventCount] = change.mark.split(':')
    return (
      Date.now() - change.at < PREFETCH_WINDOW_MS &&
      (stream !== of || Number(eventCount) > Number(count))
    )
  })
  if (missed.length === 0) return null
  if (missed.some(({ changed }) => changed === null)) return { changed: null }
  const changed = [...new Set(missed.flatMap((change) => change.changed ?? []))]
  return changed.length > 0 ? { changed } : null
}

function close() {
  window.clearTimeout(timer)
  timer = undefined
  source?.close()
  source = undefined
}

function closeSoon(ms: number) {
  window.clearTimeout(timer)
  timer = window.setTimeout(close, ms)
}

onSignedOutChange(() => {
  if (isSignedOut()) close()
  else if (listeners.size > 0) onVisibility()
})

function onVisibility() {
  if (document.hidden) closeSoon(HIDDEN_TIMEOUT_MS)
  else connect()
}
