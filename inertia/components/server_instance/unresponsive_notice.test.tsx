import { MantineProvider } from '@mantine/core'
import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UnresponsiveNotice } from './unresponsive_notice'

const answers = vi.fn<() => boolean>()

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ success: true, message: '', data: { answers: answers() } }))
  )
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  answers.mockReset()
})

const seconds = (count: number) => act(() => vi.advanceTimersByTimeAsync(count * 1000))

async function show(
  status: 'active' | 'stopped',
  busy = false,
  notice: string | null = null,
  responds = false
) {
  render(
    <MantineProvider env="test">
      <UnresponsiveNotice
        instance={{ id: 7, name: 'web-1', status, host_notice: notice, host_responds: responds }}
        busy={busy}
      />
    </MantineProvider>
  )
  await seconds(1)
}

test('the notice appears while a running instance does not respond', async () => {
  answers.mockReturnValue(false)
  await show('active')
  expect(screen.getByText('The instance does not respond')).toBeDefined()
  expect(screen.getByRole('status').textContent).toContain('You can still restart or stop it')
  answers.mockReturnValue(true)
  await seconds(20)
  expect(screen.queryByText('The instance does not respond')).toBeNull()
})

test('neither a stopped instance nor an instance with a running operation is checked', async () => {
  answers.mockReturnValue(false)
  await show('stopped')
  await show('active', true)
  expect(answers).not.toHaveBeenCalled()
  expect(screen.queryByText('The instance does not respond')).toBeNull()
})

test('while the host is offline, the notice names the host, not the instance’s memory', async () => {
  await show('active', false, "Your server's host has not answered since 10:02 AM.")
  expect(screen.getByRole('status').textContent).toContain('has not answered since 10:02 AM.')
  expect(screen.getByRole('status').textContent).not.toContain('memory')
  expect(answers).not.toHaveBeenCalled()
})

test('while a host responds but cannot be used, the notice lists the actions that are impossible', async () => {
  await show('active', false, 'The host of your server instance has a problem.', true)
  const text = screen.getByRole('status').textContent
  expect(text).toContain('The host has a problem')
  expect(text).toContain('web-1 cannot be started, stopped, restarted or boosted')
  expect(text).not.toContain('respond')
})
