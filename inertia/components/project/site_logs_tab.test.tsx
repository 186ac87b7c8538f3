import { expect, it, vi } from 'vitest'
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { SiteLogsTab } from './site_logs_tab'

const mocks = vi.hoisted(() => ({ answers: [] as object[], paths: [] as string[] }))

vi.mock('~/api_call', () => ({
  call: (path: string) => {
    mocks.paths.push(path)
    return Promise.resolve(mocks.answers.shift())
  },
}))

const text = (name: string) => screen.getByRole('log', { name }).textContent

it('the tab shows both logs and the known error, and keeps them when a refresh fails', async () => {
  const problem = { words: 'PHP stopped in a.php', next: 'Correct the file.', lines: ['AH01071'] }
  const data = {
    access: ['GET /a.php'],
    errors: ['first', 'AH01071 fatal'],
    problem,
    utc_offset: 0,
  }
  mocks.answers = [
    { success: true, message: '', data },
    { success: false, message: 'The server instance is stopped.' },
  ]
  render(
    <MantineProvider>
      <SiteLogsTab projectId={7} prefix="/admin" />
    </MantineProvider>
  )
  await screen.findByText('PHP stopped in a.php')
  screen.getByText('Correct the file.')
  expect(text('Error log')).toBe('first\nAH01071 fatal')
  expect(text('Access log')).toBe('GET /a.php')

  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
  await screen.findByText('The server instance is stopped.')
  expect(text('Error log')).toBe('first\nAH01071 fatal')
  expect(mocks.paths).toEqual(['/admin/project/7/logs', '/admin/project/7/logs'])
})
