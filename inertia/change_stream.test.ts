import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { subscribeToChanges } from './change_stream'

class FakeSource {
  static opened: FakeSource[] = []
  onopen?: () => void
  onerror?: () => void
  onmessage?: (event: { data: string; lastEventId: string }) => void
  closed = false

  constructor(readonly url: string) {
    FakeSource.opened.push(this)
  }

  close() {
    this.closed = true
  }

  tell(changed: string[] | null, lastEventId: string) {
    this.onmessage?.({ data: JSON.stringify({ changed, operations: [] }), lastEventId })
  }
}

const open = () => FakeSource.opened.filter(({ closed }) => !closed)
const stops: (() => void)[] = []
let person = 0
const listen = (listener = vi.fn(), more: { address?: string; person?: string } = {}) => {
  const who = { address: '/changes', person: String(person), mark: 'mark:1', ...more }
  stops.push(subscribeToChanges(who, listener))
  return listener
}
const hide = (hidden: boolean) => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(hidden)
  document.dispatchEvent(new Event('visibilitychange'))
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeSource)
  FakeSource.opened = []
  person++
})

afterEach(() => {
  for (const stop of stops.splice(0)) stop()
  vi.advanceTimersByTime(60_000)
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('all listeners of a page share one stream, which starts at the page’s mark', () => {
  const [one, other] = [listen(), listen()]
  expect(open().map(({ url }) => url)).toEqual(['/changes?since=mark%3A1'])
  open()[0].tell(['project:1'], 'mark:2')
  for (const listener of [one, other]) {
    expect(listener).toHaveBeenCalledExactlyOnceWith({ changed: ['project:1'], operations: [] })
  }
  for (const stop of stops.splice(0)) stop()
  listen()
  vi.advanceTimersByTime(60_000)
  expect(FakeSource.opened).toHaveLength(1)
  for (const stop of stops.splice(0)) stop()
  vi.advanceTimersByTime(60_000)
  expect(open()).toEqual([])
})

it('the stream reconnects with increasing delays, and requests missed messages', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  listen()
  open()[0].tell(['project:1'], 'mark:7')
  const waits = Array.from({ length: 8 }, () => {
    open()[0].onerror!()
    const before = Date.now()
    vi.advanceTimersToNextTimer()
    return Date.now() - before
  })
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  expect(open().map(({ url }) => url)).toEqual(['/changes?since=mark%3A7'])
  open()[0].onopen!()
  open()[0].onerror!()
  const before = Date.now()
  vi.advanceTimersToNextTimer()
  expect(Date.now() - before).toBe(1_000)
})

it('the stream closes in a background tab, and resumes at the same mark when the tab is visible', () => {
  listen()
  open()[0].tell(['project:1'], 'mark:3')
  hide(true)
  hide(false)
  vi.advanceTimersByTime(60_000)
  expect(FakeSource.opened).toHaveLength(1)
  hide(true)
  vi.advanceTimersByTime(60_000)
  expect(open()).toEqual([])
  hide(false)
  expect(open().map(({ url }) => url)).toEqual(['/changes?since=mark%3A3'])
})

it('a listener gets recent changes only if they are later than its page’s mark', () => {
  const page = (mark: string) => {
    const listener = vi.fn()
    stops.push(subscribeToChanges({ address: '/changes', person: String(person), mark }, listener))
    return listener
  }
  page('mark:1')
  open()[0].tell(['project:1'], 'mark:2')
  open()[0].tell(['project:2'], 'mark:4')
  // A page that was loaded before some of the events must get those events on subscribing.
  expect(page('mark:3').mock.calls).toEqual([
    [{ changed: ['project:2'], passing: [], operations: [] }],
  ])
  expect(page('mark:4')).not.toHaveBeenCalled()
  const changed = ['project:1', 'project:2']
  for (const other of ['another:9', 'unheard']) {
    expect(page(other)).toHaveBeenCalledExactlyOnceWith({ changed, passing: [], operations: [] })
  }
  open()[0].tell(null, 'mark:5')
  expect(page('mark:4')).toHaveBeenCalledWith({ changed: null, passing: [], operations: [] })
  vi.advanceTimersByTime(60_000)
  expect(page('mark:1')).not.toHaveBeenCalled()
})

it('two people or areas in one tab do not share a stream', () => {
  listen()
  listen(vi.fn(), { address: '/admin/changes' })
  expect(open().map(({ url }) => url)).toEqual(['/admin/changes?since=mark%3A1'])
  listen(vi.fn(), { person: 'somebody else' })
  expect(open()).toHaveLength(1)
})
