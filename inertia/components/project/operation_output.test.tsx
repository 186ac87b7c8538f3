import { expect, it, vi } from 'vitest'
import { render, screen } from '@testing-library/react'
import { OperationOutput } from './operation_output'

const mocks = vi.hoisted(() => ({ output: [] as string[], paths: [] as string[] }))

vi.mock('~/api_call', () => ({
  call: (path: string) => {
    mocks.paths.push(path)
    return Promise.resolve({ success: true, message: '', data: { output: mocks.output } })
  },
}))

const build = { id: '7', status: 'running' as const, title: 'Starting shop' }

it('shows new lines while a build runs, and the last ones after it failed', async () => {
  mocks.output = ['$ npm ci']
  const page = render(<OperationOutput operation={build} area="customer" />)
  const log = await screen.findByRole('log', { name: 'Output of Starting shop' })
  expect(log.textContent).toBe('$ npm ci')
  mocks.output = ['$ npm ci', 'added 3 packages']
  await vi.waitFor(() => expect(log.textContent).toBe('$ npm ci\nadded 3 packages'), 10_000)
  mocks.output = ['npm error']
  const failed = { id: '7', status: 'failed' as const, title: 'Starting shop' }
  page.rerender(<OperationOutput operation={failed} area="customer" />)
  await vi.waitFor(() => expect(log.textContent).toBe('npm error'))
  expect(new Set(mocks.paths)).toEqual(new Set(['/operations/7/output']))
})

it('shows nothing for work without output', async () => {
  mocks.output = []
  mocks.paths = []
  const { container } = render(<OperationOutput operation={build} area="admin" />)
  await vi.waitFor(() => expect(mocks.paths).toEqual(['/admin/operations/7/output']))
  expect(container.textContent).toBe('')
})
