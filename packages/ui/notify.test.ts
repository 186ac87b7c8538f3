import { afterEach, expect, it, vi } from 'vitest'
import { clearStaleNotices, notify } from './notify'

const { dismiss } = vi.hoisted(() => ({ dismiss: vi.fn() }))
vi.mock('react-toastify/unstyled', () => ({
  toast: { success: (text: string) => text, error: (text: string) => text, dismiss },
}))

afterEach(() => vi.useRealTimers())

it('takes what was said on a page away with it, but not what is about the way from it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await notify({ success: false, message: 'old' })
  vi.setSystemTime(Date.now() + 2_000)
  await notify({ success: true, message: 'just now' })
  await clearStaleNotices()
  expect(dismiss.mock.calls).toEqual([['old']])
})
