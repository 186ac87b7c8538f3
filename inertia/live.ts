import type { Changes } from '#core/contracts/changes'

export type { Changes }

type Listener = (changes: Changes) => void

/** Between two tries to connect, in milliseconds: the first and the longest. */
const SOON = 1_000
const LATE = 60_000
/** How long a page may be hidden before it stops listening. */
const HIDDEN = 10_000
/** A page that is left is mostly followed by another that listens too. */
const LEFT = 2_000

const listeners = new Set<Listener>()
let address = ''
/** For whom it is open: another person's news are not theirs. */
let whose = ''
let source: EventSource | undefined
/** The last message, or the mark of the first page: what came later is asked for. */
let since = ''
let tries = 0
let timer: number | undefined

/**
 * Calls back for what changes on the server of what this person may see, by the one stream of events
 * that the browser's tab has. It is taken up again with what was missed: after a failure ever later,
 * and when a tab that was in the background comes to the front. Returns how to stop.
 */
export function listenToChanges(
  { address: wanted, person, mark }: { address: string; person: string; mark: string },
  listener: Listener
): () => void {
  if (address !== wanted || whose !== person) {
    close()
    address = wanted
    whose = person
    since = mark
    tries = 0
  }
  since ||= mark
  listeners.add(listener)
  if (listeners.size === 1) document.addEventListener('visibilitychange', onVisibility)
  if (document.hidden) closeSoon(HIDDEN)
  else connect()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    document.removeEventListener('visibilitychange', onVisibility)
    closeSoon(LEFT)
  }
}

function connect() {
  window.clearTimeout(timer)
  timer = undefined
  if (source) return
  const own = new EventSource(`${address}${since ? `?since=${encodeURIComponent(since)}` : ''}`)
  source = own
  own.onopen = () => (tries = 0)
  own.onmessage = (event: MessageEvent<string>) => {
    if (event.lastEventId) since = event.lastEventId
    const changes = JSON.parse(event.data) as Changes
    for (const listener of [...listeners]) listener(changes)
  }
  own.onerror = () => {
    if (source !== own) return
    close()
    const wait = Math.min(LATE, SOON * 2 ** tries++)
    // Not all at once after a restart of the server.
    timer = window.setTimeout(connect, wait * (0.5 + Math.random()))
  }
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
  if (document.hidden) closeSoon(HIDDEN)
  else connect()
}
