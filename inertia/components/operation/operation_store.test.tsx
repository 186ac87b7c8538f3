import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ChangeMessage } from '~/change_stream'
import { useOperation, useOperations } from './use_operations'
import {
  refreshStoredOperations,
  clearOperations,
  storeOperations,
  useStoredOperations,
} from './operation_store'
import type { OperationView } from './types'

const mocks = vi.hoisted(() => ({
  tell: [] as ((changes: ChangeMessage) => void)[],
  calls: [] as string[],
  running: [] as OperationView[],
}))
vi.mock('@inertiajs/react', () => ({ usePage: () => ({ props: {} }) }))
vi.mock('~/components/live/use_change_stream', () => ({
  useChangeStream: (listener: (changes: ChangeMessage) => void) => (mocks.tell = [listener]),
}))
vi.mock('~/api_call', () => ({
  call: async (path: string) => {
    mocks.calls.push(path)
    return { data: { operations: mocks.running } }
  },
}))

const work = (id: string, status: OperationView['status'], title = id) =>
  ({ id, status, title, steps: [] }) as unknown as OperationView

function Show({ initial, onOver }: { initial: OperationView[]; onOver?: () => void }) {
  const found = useOperations(initial, 'customer', onOver)
  return [...found.values()].map(({ id, status }) => `${id} ${status}`).join(', ')
}

beforeEach(() => {
  mocks.calls = []
  mocks.running = []
})
afterEach(() => act(() => clearOperations()))

it('operations are updated by events, without requests', () => {
  const onOver = vi.fn()
  render(<Show initial={[work('a', 'running'), work('b', 'queued')]} onOver={onOver} />)
  act(() => mocks.tell[0]({ changed: [], passing: [], operations: [work('b', 'running')] }))
  expect(screen.getByText('a running, b running')).toBeDefined()
  act(() => mocks.tell[0]({ changed: [], passing: [], operations: [work('a', 'done')] }))
  expect(screen.getByText('a done, b running')).toBeDefined()
  expect(onOver).toHaveBeenCalledOnce()
  expect(mocks.calls).toEqual([])
})

it('operations are loaded again when events may have been missed', () => {
  render(<Show initial={[work('a', 'running')]} />)
  act(() => mocks.tell[0]({ changed: null, passing: [], operations: [] }))
  expect(mocks.calls).toEqual(['/operations/running'])
})

it('a finished operation stays finished, and newer states replace older ones', async () => {
  function Titles() {
    return [...useStoredOperations().values()]
      .map(({ title, status }) => `${title} ${status}`)
      .join(', ')
  }
  render(<Titles />)
  act(() => storeOperations([work('a', 'done', 'a')]))
  act(() => storeOperations([work('a', 'running', 'older')]))
  expect(screen.getByText('a done')).toBeDefined()
  mocks.running = [work('b', 'queued', 'older'), work('c', 'running', 'c')]
  await act(async () => {
    const asked = refreshStoredOperations('customer')
    storeOperations([work('b', 'running', 'b')])
    await asked
  })
  expect(screen.getByText('a done, b running, c running')).toBeDefined()
})

it('an operation that a call started is loaded, because it may have ended already', () => {
  function One() {
    return <p>{useOperation(work('a', 'queued'), 'admin')?.status}</p>
  }
  render(<One />)
  expect(mocks.calls).toEqual(['/admin/operations/a'])
})
