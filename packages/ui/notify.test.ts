import { afterEach, expect, it, vi } from 'vitest'
import { clearStaleNotices, notify } from './notify'

const { dismiss, textOf } = vi.hoisted(() => ({
  dismiss: vi.fn(),
  textOf: ({ props }: { props: { children: string } }) => props.children,
}))
vi.mock('react-toastify/unstyled', () => ({
  toast: { success: textOf, error: textOf, dismiss },
}))

afterEach(() => vi.useRealTimers())

it('a page change removes the old page’s toasts, except one that was shown just before the change', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await notify({ success: false, message: 'old' })
  vi.setSystemTime(Date.now() + 2_000)
  await notify({ success: true, message: 'just now' })
  await clearStaleNotices()
  expect(dismiss.mock.calls).toEqual([['old']])
})
