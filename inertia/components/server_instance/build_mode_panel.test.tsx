import { MantineProvider } from '@mantine/core'
import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BuildModePanel } from './build_mode_panel'
import type { InstanceView } from './types'

const answers = vi.fn<() => { boostDelay: number; boostTimer: number }>()

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ success: true, message: '', data: answers() }))
  )
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function show(boost: InstanceView['boost'], barred: string | null = null) {
  answers.mockReturnValue(boost)
  render(
    <MantineProvider env="test">
      <BuildModePanel instance={{ id: 7, status: 'active', boost, boost_barred: barred }} />
    </MantineProvider>
  )
  await act(() => vi.advanceTimersByTimeAsync(10))
}

const seconds = (count: number) => act(() => vi.advanceTimersByTimeAsync(count * 1000))

test('Build Mode counts down its remaining time, then asks the server and counts down the pause', async () => {
  await show({ boostTimer: 3, boostDelay: 0 })
  expect(screen.getByText('Boost Active For: 3s')).toBeDefined()
  await seconds(1)
  expect(screen.getByText('Boost Active For: 2s')).toBeDefined()
  answers.mockReturnValue({ boostTimer: 0, boostDelay: 3600 })
  await seconds(3)
  expect(screen.getByText(/^Boost Available In: (3600|3599)s$/)).toBeDefined()
})

test('the button appears when both countdowns are zero', async () => {
  await show({ boostTimer: 0, boostDelay: 1 })
  expect(screen.getByText('Boost Available In: 1s')).toBeDefined()
  answers.mockReturnValue({ boostTimer: 0, boostDelay: 0 })
  await seconds(2)
  expect(screen.getByRole('button', { name: 'Enable Boost' })).toBeDefined()
})

test('the disabled button shows the reason', async () => {
  await show({ boostTimer: 0, boostDelay: 0 }, 'The instance is stopped. Start it first.')
  const button = screen.getByRole('button', { name: 'Enable Boost' })
  expect(button.getAttribute('aria-description')).toBe('The instance is stopped. Start it first.')
})
