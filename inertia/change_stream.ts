import type { ChangeMessage } from '#core/contracts/change_message'

export type { ChangeMessage }

type Listener = (changes: ChangeMessage) => void

/** Between two tries to connect, in milliseconds: the first and the longest. */
const MIN_RETRY_DELAY_MS = 1_000
const MAX_RETRY_DELAY_MS = 60_000
/** How long a page may be hidden before it stops listening. */
const HIDDEN_TIMEOUT_MS = 10_000
/** A page that is left is mostly followed by another that listens too. */
const UNSUBSCRIBED_TIMEOUT_MS = 2_000

/** For how long, in milliseconds, a page may have been fetched ahead of being shown. */
const PREFETCH_WINDOW_MS = 60_000

const listeners = new Set<Listener>()
let streamUrl = ''
/** For whom it is open: another person's news are not theirs. */
let subscribedPerson = ''
let source: EventSource | undefined
/** The last message, or the mark of the first page: what came later is asked for. */
let lastMark = ''
let tries = 0
/** What was told lately, for a page that was read before it and is shown after it. */
let recentChanges: { mark: string; at: number; changed: string[] | null }[] = []
let timer: number | undefined

/**
 * Calls back for what changes on the server of what this person may see, by the one stream of events
 * that the browser's tab has. It is taken up again with what was missed: after a failure ever later,
 * and when a tab that was in the background comes to the front. A listener of a page that was read
 * before something was told, by its mark, is told of it at once. Returns how to stop.
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
  if (source) return
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
    close()
    const wait = Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** tries++)
    // Not all at once after a restart of the server.
    timer = window.setTimeout(connect, wait * (0.5 + Math.random()))
  }
}

/** What a page with this mark was not read with; all of it where another process made the page. */
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

function onVisibility() {
  if (document.hidden) closeSoon(HIDDEN_TIMEOUT_MS)
  else connect()
}
