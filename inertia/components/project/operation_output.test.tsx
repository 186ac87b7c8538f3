import { expect, it, vi } from 'vitest'
import { act, render, screen, waitFor } from '@testing-library/react'
import { OperationOutput } from './operation_output'

const mocks = vi.hoisted(() => ({
  output: [] as string[],
  paths: [] as string[],
  delay: Promise.resolve(),
}))

vi.mock('~/api_call', () => ({
  call: async (path: string) => {
    mocks.paths.push(path)
    await mocks.delay
    return { success: true, message: '', data: { output: mocks.output } }
  },
}))

const build = { id: '7', status: 'running' as const, title: 'Starting shop' }

it('the output of a build shows new lines while the build runs, and the last lines after a failure', async () => {
  mocks.output = ['$ npm ci']
  const page = render(<OperationOutput operation={build} area="customer" />)
  const log = await screen.findByRole('log', { name: 'Output of Starting shop' })
  expect(log.textContent).toBe('$ npm ci')
  mocks.output = ['$ npm ci', 'added 3 packages']
  await waitFor(() => expect(log.textContent).toBe('$ npm ci\nadded 3 packages'))
  mocks.output = ['npm error']
  const failed = { id: '7', status: 'failed' as const, title: 'Starting shop' }
  page.rerender(<OperationOutput operation={failed} area="customer" />)
  await waitFor(() => expect(log.textContent).toBe('npm error'))
  expect(new Set(mocks.paths)).toEqual(new Set(['/operations/7/output']))
})

it('an operation without output shows nothing', async () => {
  mocks.output = []
  mocks.paths = []
  const { container } = render(<OperationOutput operation={build} area="admin" />)
  await waitFor(() => expect(mocks.paths).toEqual(['/admin/operations/7/output']))
  expect(container.textContent).toBe('')
})

it('output appears on a slow connection, because polls do not cancel each other', async () => {
  vi.useFakeTimers()
  mocks.output = ['$ npm ci']
  mocks.paths = []
  mocks.delay = new Promise((resolve) => setTimeout(resolve, 7_000))
  render(<OperationOutput operation={build} area="customer" />)
  await act(() => vi.advanceTimersByTimeAsync(6_900))
  expect(mocks.paths).toHaveLength(1)
  await act(() => vi.advanceTimersByTimeAsync(200))
  expect(screen.getByRole('log').textContent).toBe('$ npm ci')
  vi.useRealTimers()
})
