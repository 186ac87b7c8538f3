import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { act, render } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { DateText, formatDate, formatExactTime } from './date_text'
import { RegionContext } from './region'

describe('DateText', () => {
  it.each([
    ['2026-11-01T20:30:00Z', 'date', 'Nov 2, 2026'],
    ['2026-11-01T20:30:00Z', 'moment', 'Nov 2, 2026, 2:30 AM'],
    ['2026-11-01T06:05:09Z', 'clock', '12:05 PM'],
    ['2026-11-01T18:00:00Z', 'clock', '12:00 AM'],
    ['2026-11-01T06:05:09Z', 'staff', '12:05 PM, 01-11-2026'],
    ['2026-02-28', 'date', 'Feb 28, 2026'],
    ['nonsense', 'date', ''],
  ] as const)('%s as %s', (value, shape, text) => {
    expect(formatDate(value, shape, 'Asia/Dhaka')).toBe(text)
  })

  it('the title has the exact time', () => {
    expect(formatExactTime('2026-11-01T06:05:09Z', 'Asia/Dhaka')).toBe(
      'Nov 1, 2026, 12:05:09 PM (Asia/Dhaka)'
    )
  })

  it('uses the region’s time zone, not that of the machine', () => {
    expect(formatDate('2026-11-01T20:30:00Z', 'moment', 'America/New_York')).toBe(
      'Nov 1, 2026, 3:30 PM'
    )
  })
})

it('renders the same text on the server and in the browser', async () => {
  const region = { currency: 'BDT', name: 'taka', symbol: '৳', digits: 2, timeZone: 'Asia/Dhaka' }
  const shown = (
    <RegionContext value={region}>
      <DateText value="2026-11-01T20:30:00Z" shape="moment" />
    </RegionContext>
  )
  const container = document.createElement('div')
  container.innerHTML = renderToString(shown)
  const mismatch = vi.fn()
  await act(async () => void hydrateRoot(container, shown, { onRecoverableError: mismatch }))
  expect(mismatch).not.toHaveBeenCalled()
  expect(container.textContent).toBe('Nov 2, 2026, 2:30 AM')
})

it('shows a dash if there is no date', () => {
  const { container } = render(<DateText value={null} />)
  expect(container.textContent).toBe('-')
})
