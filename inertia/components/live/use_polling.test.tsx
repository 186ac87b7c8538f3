import { renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { usePolling } from './use_polling'

let visibility: DocumentVisibilityState = 'visible'

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('the callback runs at intervals while the page is visible, and once when the page becomes visible', () => {
  const onTick = vi.fn()
  const { unmount } = renderHook(() => usePolling(1_000, onTick))
  vi.advanceTimersByTime(2_500)
  expect(onTick).toHaveBeenCalledTimes(2)
  visibility = 'hidden'
  vi.advanceTimersByTime(5_000)
  expect(onTick).toHaveBeenCalledTimes(2)
  visibility = 'visible'
  document.dispatchEvent(new Event('visibilitychange'))
  expect(onTick).toHaveBeenCalledTimes(3)
  unmount()
  vi.advanceTimersByTime(5_000)
  expect(onTick).toHaveBeenCalledTimes(3)
})
