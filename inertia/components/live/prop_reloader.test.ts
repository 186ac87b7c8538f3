import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { pushUrl } from '~/client_navigation'
import { PropReloader } from './prop_reloader'
import { affectsTopics } from './use_change_stream'

interface Reading {
  only: string[]
  onCancelToken: (token: { cancel: () => void }) => void
  onFinish: () => void
}

const inertia = vi.hoisted(() => ({
  readings: [] as Reading[],
  listeners: {} as Record<string, (event: { detail: { visit: object } }) => void>,
}))
vi.mock('@inertiajs/react', () => ({
  router: {
    reload: (reading: Reading) => inertia.readings.push(reading),
    push: ({ onFinish }: Pick<Reading, 'onFinish'>) => onFinish(),
    on: (name: string, listener: () => void) => {
      inertia.listeners[name] = listener
      return () => {}
    },
  },
}))

const { readings } = inertia
const visit = (name: 'start' | 'finish', detail: object = {}) =>
  inertia.listeners[name]({ detail: { visit: detail } })
let reader: PropReloader
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  readings.length = 0
  reader = new PropReloader(1_000)
  stop = reader.start()
})

afterEach(() => {
  stop()
  vi.useRealTimers()
})

it('reads once for a burst, and once more for what came while it read', () => {
  for (let index = 0; index < 10; index++) reader.schedule(['rows'])
  expect(readings.map(({ only }) => only)).toEqual([['rows']])
  readings[0].onFinish()
  vi.advanceTimersByTime(999)
  expect(readings).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(readings).toHaveLength(2)
  readings[1].onFinish()
  vi.advanceTimersByTime(60_000)
  expect(readings).toHaveLength(2)
})

it('reads again what a step in the address cut off', () => {
  const cancel = vi.fn(() => readings[0].onFinish())
  reader.schedule(['rows'])
  readings[0].onCancelToken({ cancel })
  pushUrl('/databases/1?table=orders')
  expect(cancel).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(60_000)
  expect(readings.map(({ only }) => only)).toEqual([['rows'], ['rows']])
  readings[1].onFinish()
  pushUrl('/databases/1')
  vi.advanceTimersByTime(60_000)
  expect(readings).toHaveLength(2)
})

it('lets a visit go first, and reads again what it cut off', () => {
  const cancel = vi.fn(() => readings[0].onFinish())
  reader.schedule(['rows'])
  readings[0].onCancelToken({ cancel })
  visit('start', { async: true })
  visit('start', { prefetch: true })
  expect(cancel).not.toHaveBeenCalled()
  visit('start')
  expect(cancel).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(60_000)
  expect(readings).toHaveLength(1)
  visit('finish')
  expect(readings).toHaveLength(2)
})

it('leaves a step of the history alone that is gone to', () => {
  const cancel = vi.fn()
  reader.schedule(['rows'])
  readings[0].onCancelToken({ cancel })
  dispatchEvent(new PopStateEvent('popstate'))
  expect(cancel).toHaveBeenCalledOnce()
})

it('knows what it is concerned by', () => {
  expect(affectsTopics({ changed: ['project:5'] }, ['project'])).toBe(true)
  expect(affectsTopics({ changed: ['project:5'] }, ['project:5'])).toBe(true)
  expect(affectsTopics({ changed: ['project:50'] }, ['project:5'])).toBe(false)
  expect(affectsTopics({ changed: null }, ['project:5'])).toBe(true)
  expect(affectsTopics({ changed: null }, [])).toBe(false)
})
