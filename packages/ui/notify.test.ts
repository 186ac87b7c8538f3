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

it('takes what was said on a page away with it, but not what is about the way from it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await notify({ success: false, message: 'old' })
  vi.setSystemTime(Date.now() + 2_000)
  await notify({ success: true, message: 'just now' })
  await clearStaleNotices()
  expect(dismiss.mock.calls).toEqual([['old']])
})
