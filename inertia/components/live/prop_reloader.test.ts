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

it('several changes cause one reload, and changes during it one more', () => {
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

it('a reload that a history step cancelled runs again', () => {
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

it('a visit cancels a reload, which runs again after the visit', () => {
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

it('Back cancels a reload, so that it does not overwrite the history entry', () => {
  const cancel = vi.fn()
  reader.schedule(['rows'])
  readings[0].onCancelToken({ cancel })
  dispatchEvent(new PopStateEvent('popstate'))
  expect(cancel).toHaveBeenCalledOnce()
})

it('a change affects topics by type or by record', () => {
  expect(affectsTopics({ changed: ['project:5'] }, ['project'])).toBe(true)
  expect(affectsTopics({ changed: ['project:5'] }, ['project:5'])).toBe(true)
  expect(affectsTopics({ changed: ['project:50'] }, ['project:5'])).toBe(false)
  expect(affectsTopics({ changed: null }, ['project:5'])).toBe(true)
  expect(affectsTopics({ changed: null }, [])).toBe(false)
})
